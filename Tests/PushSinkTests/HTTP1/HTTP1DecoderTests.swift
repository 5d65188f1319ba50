import Testing
import pushsink

@Suite struct HTTP1DecoderTests {
    private static let plain =
        "POST /token HTTP/1.1\r\nHost: a:1\r\nContent-Length:  5 \r\nX-Y: \r\n\r\nhello"
    private static let chunked =
        "POST /x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n"
        + "5;a=b\r\nhello\r\nA\r\n, world!!!\r\n0\r\nTrailer: x\r\n\r\n"

    private func decode(_ text: String, limit: Int = 100) throws -> [HTTP1Message] {
        var decoder = HTTP1Decoder(bodyLimit: limit)
        text.asBytes { decoder.feed($0) }
        var messages: [HTTP1Message] = []
        while let message = try decoder.next() { messages.append(message) }
        return messages
    }

    @Test func `a complete request is decoded`() throws {
        let message = try #require(try decode(Self.plain).first)
        #expect(message.method == "POST" && message.target == "/token" && message.body == Array("hello".utf8))
        #expect(message.fields.map(\.name) == ["host", "content-length", "x-y"])
        #expect(message.fields.map(\.value) == ["a:1", "5", ""])
        #expect(message.staysOpen)
    }

    @Test func `chunks are joined, and trailers are skipped`() throws {
        #expect(try decode(Self.chunked).map(\.body) == [Array("hello, world!!!".utf8)])
    }

    @Test func `a request can arrive in any two portions, or byte by byte`() throws {
        let text = Self.plain + Self.chunked + "\r\nGET / HTTP/1.1\r\n\r\n"
        let bytes = Array(text.utf8)
        let whole = try decode(text)
        #expect(whole.count == 3)
        for split in bytes.indices {
            var decoder = HTTP1Decoder(bodyLimit: 100)
            var messages: [HTTP1Message] = []
            for part in [bytes[..<split], bytes[split...]] {
                Array(part).asBytes { decoder.feed($0) }
                while let message = try decoder.next() { messages.append(message) }
            }
            #expect(messages == whole, "split at \(split)")
        }
        var decoder = HTTP1Decoder(bodyLimit: 100)
        var messages: [HTTP1Message] = []
        for byte in bytes {
            [byte].asBytes { decoder.feed($0) }
            while let message = try decoder.next() { messages.append(message) }
        }
        #expect(messages == whole)
    }

    @Test(arguments: [
        ("HTTP/1.1\r\n", true), ("HTTP/1.1\r\nConnection: close\r\n", false), ("HTTP/1.0\r\n", false),
        ("HTTP/1.0\r\nConnection: Keep-Alive\r\n", true), ("HTTP/1.1\r\nConnection: TE, close\r\n", false),
    ])
    func `a connection stays open according to the version and the header`(tail: String, stays: Bool) throws {
        #expect(try decode("GET / \(tail)\r\n").map(\.staysOpen) == [stays])
    }

    @Test func `a body that the client announces is requested once`() throws {
        var decoder = HTTP1Decoder(bodyLimit: 100)
        "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".asBytes { decoder.feed($0) }
        #expect(try decoder.next() == nil)
        #expect(decoder.takeContinue() && !decoder.takeContinue())
        "ab".asBytes { decoder.feed($0) }
        #expect(try decoder.next()?.body == Array("ab".utf8))
    }

    @Test(
        arguments: [
            ("GET /\r\n\r\n", .malformed), ("GET / HTTP/2.0\r\n\r\n", .unknownVersion),
            (" / HTTP/1.1\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\na b: c\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\nHost: a\n\r\n\r\n", .malformed), ("GET /\u{1} HTTP/1.1\r\n\r\n", .malformed),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", .malformed),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .malformed),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", .malformed),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .malformed),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", .unknownCoding),
            ("POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n", .bodyTooLarge),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", .bodyTooLarge),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFF\r\n", .malformed),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", .malformed),
            ("GET /" + String(repeating: "x", count: 17_000), .headTooLarge),
            ("GET / HTTP/1.1\r\na: " + String(repeating: "x", count: 17_000) + "\r\n\r\n", .headTooLarge),
        ] as [(String, HTTP1Problem)])
    func `a violation of the grammar or of a limit is reported as a problem`(
        text: String, problem: HTTP1Problem
    ) throws {
        #expect(throws: problem) { try decode(text) }
    }

    @Test func `the decoder accepts random bytes without a crash`() {
        var random = SystemRandomNumberGenerator()
        let seed = Array((Self.plain + Self.chunked).utf8)
        for _ in 0..<2000 {
            var bytes = seed
            for _ in 0..<4 {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            var decoder = HTTP1Decoder(bodyLimit: 100)
            bytes.asBytes { decoder.feed($0) }
            var count = 0
            while let message = try? decoder.next() {
                count += 1
                #expect(message.body.count <= 100)
            }
            #expect(count <= 8)
        }
    }
}
