/// Requests of HTTP/1.1 out of bytes (RFC 9112).
///
/// **Promises.** Nothing is believed before its bound is checked: a head has at most 16 KiB, a body
/// `bodyLimit` bytes. Bytes may come in any portions. **Failures.** ``HTTP1Problem``, after which the
/// connection is of no more use.
package struct HTTP1Decoder {
    private enum State {
        case head
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
    }

    private static let headLimit = 16 * 1024
    private let bodyLimit: Int
    private var state = State.head
    private var input: [UInt8] = []
    private var taken = 0
    private var message = HTTP1Message()
    private var trailerBytes = 0
    /// The client wants "100 Continue" before it sends the body that it announced.
    private var owesContinue = false

    package init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

    package mutating func feed(_ bytes: Bytes) { input.append(contentsOf: bytes) }

    /// How much was fed and not yet read.
    package var waiting: Int { input.count - taken }

    /// True once after a head that asks for it.
    package mutating func takeContinue() -> Bool {
        defer { owesContinue = false }
        return owesContinue
    }

    /// The next whole request; nil: it needs more bytes.
    package mutating func next() throws(HTTP1Problem) -> HTTP1Message? {
        while true {
            switch state {
            case .head:
                guard try readHead() else { return nil }
            case .body(let left):
                let count = move(atMost: left)
                guard count == left else {
                    state = .body(left: left - count)
                    return nil
                }
                return finish()
            case .chunkSize:
                guard let line = try line(limit: 256) else { return nil }
                let size = try HTTP1Grammar.chunkSize(line)
                guard message.body.count + size <= bodyLimit else { throw .bodyTooLarge }
                trailerBytes = 0
                state = size == 0 ? .trailer : .chunk(left: size)
            case .chunk(let left):
                let count = move(atMost: left)
                guard count == left else {
                    state = .chunk(left: left - count)
                    return nil
                }
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

    /// False: the head is not whole yet.
    private mutating func readHead() throws(HTTP1Problem) -> Bool {
        // An empty line before a request is to be passed over (RFC 9112 section 2.2).
        while input.count - taken >= 2, input[taken] == 0x0D, input[taken + 1] == 0x0A { taken += 2 }
        guard let end = endOfHead() else {
            guard waiting <= Self.headLimit else { throw .headTooLarge }
            return false
        }
        guard end - taken <= Self.headLimit else { throw .headTooLarge }
        let head = try HTTP1Grammar.head(input[taken..<end])
        skip(to: end + 4)
        message = head.message
        owesContinue = head.expectsContinue
        switch head.framing {
        case .length(let count):
            guard count <= bodyLimit else { throw .bodyTooLarge }
            state = .body(left: count)
        case .chunked:
            state = .chunkSize
        }
        return true
    }

    /// Where the empty line after the fields begins.
    private func endOfHead() -> Int? {
        var at = taken
        while at + 3 < input.count {
            if input[at] == 0x0D, input[at + 1] == 0x0A, input[at + 2] == 0x0D, input[at + 3] == 0x0A {
                return at
            }
            at += 1
        }
        return nil
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

    private mutating func move(atMost limit: Int) -> Int {
        let count = min(limit, waiting)
        message.body.append(contentsOf: input[taken..<(taken + count)])
        skip(to: taken + count)
        return count
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

/// A request of HTTP/1.1, whole.
package struct HTTP1Message: Equatable, Sendable {
    package var method = ""
    package var target = ""
    /// Names in lower case, in the order of the head.
    package var fields: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    /// Whether the connection is to outlive the answer.
    package var staysOpen = true

    package init() {}

    package static func == (left: Self, right: Self) -> Bool {
        left.method == right.method && left.target == right.target && left.body == right.body
            && left.staysOpen == right.staysOpen && left.fields.elementsEqual(right.fields, by: ==)
    }
}

/// What is wrong with a request, as an answer says it.
package struct HTTP1Problem: Error, Equatable, Sendable {
    package let status: Int
    package let text: String

    package static let malformed = Self(status: 400, text: "Bad Request")
    package static let bodyTooLarge = Self(status: 413, text: "Content Too Large")
    package static let headTooLarge = Self(status: 431, text: "Request Header Fields Too Large")
    package static let unknownCoding = Self(status: 501, text: "Not Implemented")
    package static let unknownVersion = Self(status: 505, text: "HTTP Version Not Supported")
}
