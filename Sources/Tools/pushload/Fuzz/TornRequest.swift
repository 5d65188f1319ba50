/// Mutations of HTTP itself: bytes that are not a request, that contain more than one request, or that
/// contain a request without an end.
enum TornRequest {
    static func bytes(_ corpus: FuzzCorpus, _ mutation: ByteMutation, _ chance: inout SplitMix64) -> [UInt8] {
        let kinds: [FuzzRequest.Kind] = [.registration, .report, .call]
        var message = FuzzRequest.base(chance.one(of: kinds), corpus, apps: FuzzCorpus.tornApps, &chance)
        switch chance.below(12) {
        case 0: return chunked(message, corpus, &chance)
        case 1: message.headers += doubled(&chance)
        case 2:
            let length = 1 << (8 + chance.below(10))
            message.headers.append(
                ("X-Long", String(decoding: [UInt8](repeating: 0x61, count: length), as: UTF8.self)))
        case 3: for number in 0..<(1 << chance.below(10)) { message.headers.append(("X-\(number)", "a")) }
        case 4:
            message.method = chance.one(of: [
                "", "G", "get", "CONNECT", "PRI", "GE\0T", "POST POST", "\u{FF}", "M-SEARCH",
            ])
        case 5: return pipelined(corpus, mutation, &chance)
        case 6:
            message.headers += [
                ("Connection", chance.one(of: ["close", "Upgrade", "keep-alive, close", "HTTP2-Settings"]))
            ]
            message.headers += [("Upgrade", chance.one(of: ["h2c", "websocket", "TLS/1.0"]))]
            message.headers += [("Expect", chance.one(of: ["100-continue", "200-ok"]))]
        case 7: return stranger(&chance)
        case 8:
            var bytes = message.written(host: corpus.host)
            bytes.removeSubrange(chance.below(bytes.count)...)
            return bytes
        default: break
        }
        var bytes = message.written(host: corpus.host)
        // Only the head is mutated here. The other kinds of requests mutate bodies.
        let end = bytes.count - message.body.count
        if chance.below(4) > 0 {
            var head = Array(bytes[..<end])
            mutation.apply(to: &head, by: &chance)
            bytes.replaceSubrange(..<end, with: head)
        }
        return bytes
    }

    private static func doubled(_ chance: inout SplitMix64) -> [(name: String, value: String)] {
        let values = [
            "0", "-1", "5", "+3", "0x10", "18446744073709551616", "9223372036854775807", "5, 5", "", "1e3",
        ]
        return (0...chance.below(2)).map { _ in
            switch chance.below(4) {
            case 0: ("Content-Length", chance.one(of: values))
            case 1:
                (
                    "Transfer-Encoding",
                    chance.one(of: ["chunked", "gzip, chunked", "chunked, chunked", "identity", "x"])
                )
            case 2: ("Host", chance.one(of: ["", "a b", "example.org:99999", "[::1", "\u{7F}"]))
            default: ("Authorization", chance.one(of: ["Bearer", "Bearer ", "Basic YTpi", "Bearer a b"]))
            }
        }
    }

    private static func chunked(_ message: LoadRequest, _ corpus: FuzzCorpus, _ chance: inout SplitMix64)
        -> [UInt8]
    {
        var head = message
        head.method = "POST"
        head.body = []
        head.headers.append(("Transfer-Encoding", "chunked"))
        var bytes = head.written(host: corpus.host, saysLength: false)
        let sizes = [
            "", "zz", "-1", "FFFFFFFFFFFFFFFF", "10000000000000000", "7fffffff", "5;a=b", "5 ", " 5", "0",
        ]
        for _ in 0...chance.below(4) {
            let piece = message.body.prefix(chance.below(message.body.count + 1))
            let size = chance.below(3) == 0 ? chance.one(of: sizes) : String(piece.count, radix: 16)
            bytes += size.utf8
            bytes += chance.one(of: ["\r\n", "\r\n", "\r\n", "\n", ""]).utf8
            bytes += piece
            bytes += chance.one(of: ["\r\n", "\r\n", "\r\n", "\r", "", "X"]).utf8
        }
        if chance.below(2) == 0 {
            bytes += chance.one(of: ["0\r\n\r\n", "0\r\nA: b\r\n\r\n", "0\r\n", "00000\r\n\r\n"]).utf8
        }
        return bytes
    }

    /// Returns the bytes of several requests, including a malformed request.
    private static func pipelined(_ corpus: FuzzCorpus, _ mutation: ByteMutation, _ chance: inout SplitMix64)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        let count = 2 + chance.below(20)
        let broken = chance.below(count)
        for place in 0..<count {
            var one = FuzzRequest.base(.report, corpus, &chance).written(host: corpus.host)
            if place == broken { mutation.apply(to: &one, by: &chance) }
            bytes += one
        }
        return bytes
    }

    /// Returns bytes of other protocols, or random bytes.
    private static func stranger(_ chance: inout SplitMix64) -> [UInt8] {
        switch chance.below(6) {
        case 0: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        case 1:
            [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03]
                + (0..<200).map { _ in UInt8(chance.below(256)) }
        case 2: Array("GET /r/test\r\n\r\n".utf8)
        case 3: Array("GET http://example.org/r/test HTTP/1.0\r\n\r\n".utf8)
        case 4: Array("\r\n\r\n\r\nGET /r/test HTTP/9.9\r\n\r\n".utf8)
        default: (0..<(1 + chance.below(3_000))).map { _ in UInt8(chance.below(256)) }
        }
    }
}
