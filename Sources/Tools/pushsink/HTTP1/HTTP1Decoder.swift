/// Decodes requests of HTTP/1.1 from bytes (RFC 9112).
///
/// **Promises.** Every limit is checked before more bytes are accepted: a head has at most 16 KiB, and a body
/// has at most `bodyLimit` bytes. Bytes may arrive in pieces of any size. **Failures.** ``HTTP1Problem``,
/// after which the connection cannot be used any more.
package struct HTTP1Decoder {
    private enum State {
        case head
        case body
        case chunkSize
        case chunk
        case chunkEnd
        case trailer
    }

    private static let headLimit = 16 * 1024
    private let bodyLimit: Int
    private var state = State.head
    private var input: [UInt8] = []
    private var taken = 0
    private var message = HTTP1Message()
    /// The remaining bytes of a body or a chunk.
    private var left = 0
    private var trailerBytes = 0
    /// Whether the client waits for "100 Continue" before it sends the body that it announced.
    private var owesContinue = false

    package init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

    package mutating func feed(_ bytes: Bytes) { input.append(contentsOf: bytes) }

    /// The number of bytes that were received and not decoded yet.
    package var waiting: Int { input.count - taken }

    /// Returns true once after a head that requests "100 Continue".
    package mutating func takeContinue() -> Bool {
        defer { owesContinue = false }
        return owesContinue
    }

    /// Returns the next complete request; `nil` if more bytes are needed.
    package mutating func next() throws(HTTP1Problem) -> HTTP1Message? {
        while true {
            switch state {
            case .head:
                guard try readHead() else { return nil }
            case .body: return move() ? finish() : nil
            case .chunkSize:
                guard let line = try line(limit: 256) else { return nil }
                let size = try HTTP1Grammar.chunkSize(line)
                guard message.body.count + size <= bodyLimit else { throw .bodyTooLarge }
                trailerBytes = 0
                left = size
                state = size == 0 ? .trailer : .chunk
            case .chunk:
                guard move() else { return nil }
                state = .chunkEnd
            case .chunkEnd:
                guard let line = try line(limit: 2) else { return nil }
                guard line.isEmpty else { throw .malformed }
                state = .chunkSize
            case .trailer:
                guard let line = try line(limit: Self.headLimit) else { return nil }
                trailerBytes += line.count
                guard trailerBytes <= Self.headLimit else { throw .headTooLarge }
                if line.isEmpty { return finish() }
            }
        }
    }

    // MARK: Parts

    /// Returns false if the head is not complete yet.
    private mutating func readHead() throws(HTTP1Problem) -> Bool {
        // An empty line before a request must be ignored (RFC 9112, section 2.2).
        while input.count - taken >= 2, input[taken] == 0x0D, input[taken + 1] == 0x0A { taken += 2 }
        guard let end = input[taken...].firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound else {
            guard waiting <= Self.headLimit else { throw .headTooLarge }
            return false
        }
        guard end - taken <= Self.headLimit else { throw .headTooLarge }
        let head = try HTTP1Grammar.head(input[taken..<end])
        skip(to: end + 4)
        message = head.message
        owesContinue = head.expectsContinue
        left = head.length ?? 0
        guard left <= bodyLimit else { throw .bodyTooLarge }
        state = head.length == nil ? .chunkSize : .body
        return true
    }

    private mutating func line(limit: Int) throws(HTTP1Problem) -> [UInt8]? {
        guard let feed = input[taken...].firstIndex(of: 0x0A) else {
            guard waiting <= limit else { throw .malformed }
            return nil
        }
        guard feed > taken, input[feed - 1] == 0x0D, feed - taken <= limit else { throw .malformed }
        defer { skip(to: feed + 1) }
        return Array(input[taken..<(feed - 1)])
    }

    /// Takes the available bytes of a body or a chunk. Returns `false` if some bytes are still missing.
    private mutating func move() -> Bool {
        let count = min(left, waiting)
        message.body.append(contentsOf: input[taken..<(taken + count)])
        skip(to: taken + count)
        left -= count
        return left == 0
    }

    private mutating func skip(to index: Int) {
        taken = index
        if taken == input.count {
            input.removeAll(keepingCapacity: true)
            taken = 0
        } else if taken > 64 * 1024 {
            input.removeFirst(taken)
            taken = 0
        }
    }

    private mutating func finish() -> HTTP1Message {
        state = .head
        owesContinue = false
        defer { message = HTTP1Message() }
        return message
    }
}

/// A complete request of HTTP/1.1.
package struct HTTP1Message: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        /// The name, in lower case.
        package let name: String
        package let value: String
    }

    package var method = ""
    package var target = ""
    /// The fields, in the order of the head.
    package var fields: [Field] = []
    package var body: [UInt8] = []
    /// Whether the connection remains open after the answer.
    package var staysOpen = true
}

/// The fault of a request, in the form in which the answer states it.
package struct HTTP1Problem: Error, Equatable, Sendable {
    package let status: Int
    let text: String

    package static let malformed = Self(status: 400, text: "Bad Request")
    package static let bodyTooLarge = Self(status: 413, text: "Content Too Large")
    package static let headTooLarge = Self(status: 431, text: "Request Header Fields Too Large")
    package static let unknownCoding = Self(status: 501, text: "Not Implemented")
    package static let unknownVersion = Self(status: 505, text: "HTTP Version Not Supported")
}

/// The grammar of a request's head and of chunks (RFC 9112 sections 3, 5 and 7).
enum HTTP1Grammar {
    struct Head {
        var message = HTTP1Message()
        /// The length of the body; `nil` if the body is sent in chunks.
        var length: Int? = 0
        var expectsContinue = false
    }

    /// Reads a head, without the empty line at its end.
    static func head(_ bytes: ArraySlice<UInt8>) throws(HTTP1Problem) -> Head {
        // Each line must end with a carriage return and a line feed, and neither character may appear alone.
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

    private static func field(_ line: ArraySlice<UInt8>) throws(HTTP1Problem) -> HTTP1Message.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
            throw .malformed
        }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte == 0x20 || byte == 0x09 { value.removeFirst() }
        while let byte = value.last, byte == 0x20 || byte == 0x09 { value.removeLast() }
        return HTTP1Message.Field(name: text(line[..<colon]).lowercased(), value: text(value))
    }

    /// Determines the length of the body and whether the connection stays open. Two different lengths are an
    /// error, because an intermediary might not choose the same one as this decoder.
    private static func frame(_ head: inout Head) throws(HTTP1Problem) {
        var length: Int?
        var isChunked = false
        for field in head.message.fields {
            let value = field.value
            switch field.name {
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
        head.length = isChunked ? nil : length ?? 0
    }

    /// Returns the size in a chunk's first line. Everything after a semicolon is ignored.
    static func chunkSize(_ line: [UInt8]) throws(HTTP1Problem) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }
        guard (1...8).contains(digits.count), digits.allSatisfy({ Hex.value(of: $0) != nil }),
            let size = Int(text(digits), radix: 16)
        else { throw .malformed }
        return size
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
