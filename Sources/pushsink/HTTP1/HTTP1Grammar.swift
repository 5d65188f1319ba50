/// The grammar of a request's head and of chunks (RFC 9112 sections 3, 5 and 7).
enum HTTP1Grammar {
    enum Framing: Equatable { case length(Int), chunked }

    struct Head {
        var message = HTTP1Message()
        var framing = Framing.length(0)
        var expectsContinue = false
    }

    /// The head without the empty line at its end.
    static func head(_ bytes: ArraySlice<UInt8>) throws(HTTP1Problem) -> Head {
        // Line feeds stand only behind carriage returns, and neither stands alone.
        var lines: [ArraySlice<UInt8>] = []
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let isLast = line.endIndex == bytes.endIndex
            guard isLast || line.last == 0x0D else { throw .malformed }
            let content = isLast ? line : line.dropLast()
            guard !content.contains(where: { $0 == 0x0D || $0 == 0 }) else { throw .malformed }
            lines.append(content)
        }
        guard let first = lines.first else { throw .malformed }
        let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, isToken(words[0]), !words[1].isEmpty,
            words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .malformed }
        guard words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8) else {
            throw .unknownVersion
        }
        var head = Head()
        head.message.method = text(words[0])
        head.message.target = text(words[1])
        head.message.staysOpen = words[2].last == UInt8(ascii: "1")
        for line in lines.dropFirst() { head.message.fields.append(try field(line)) }
        try frame(&head)
        return head
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(HTTP1Problem) -> (name: String, value: String)
    {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
            throw .malformed
        }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte == 0x20 || byte == 0x09 { value.removeFirst() }
        while let byte = value.last, byte == 0x20 || byte == 0x09 { value.removeLast() }
        return (text(line[..<colon]).lowercased(), text(value))
    }

    /// How long the body is, and whether the connection stays. Two opinions on the length are none: whoever
    /// stands between could believe the other.
    private static func frame(_ head: inout Head) throws(HTTP1Problem) {
        var length: Int?
        var isChunked = false
        for (name, value) in head.message.fields {
            switch name {
            case "content-length":
                guard !value.isEmpty, value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let count = Int(value),
                    length == nil || length == count
                else { throw .malformed }
                length = count
            case "transfer-encoding":
                guard value.lowercased() == "chunked", !isChunked else { throw .unknownCoding }
                isChunked = true
            case "connection":
                let options = value.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
                if options.contains("close") { head.message.staysOpen = false }
                if options.contains("keep-alive") { head.message.staysOpen = true }
            case "expect":
                head.expectsContinue = value.lowercased() == "100-continue"
            default: break
            }
        }
        guard !isChunked || length == nil else { throw .malformed }
        head.framing = isChunked ? .chunked : .length(length ?? 0)
    }

    /// The size in a chunk's first line; what follows a semicolon is nobody's business.
    static func chunkSize(_ line: [UInt8]) throws(HTTP1Problem) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }
        guard (1...8).contains(digits.count) else { throw .malformed }
        var size = 0
        for digit in digits {
            guard let value = Hex.value(of: digit) else { throw .malformed }
            size = size << 4 | Int(value)
        }
        return size
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
