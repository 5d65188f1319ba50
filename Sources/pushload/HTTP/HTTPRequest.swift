/// A request in its parts, before it is written as HTTP/1.1.
struct HTTPRequest: Sendable {
    var method: String
    var path: String
    var query: String?
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    init(
        _ method: String, _ path: String, query: String? = nil, headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        (self.method, self.path, self.query, self.headers, self.body) = (method, path, query, headers, body)
    }

    /// A call of the API.
    /// - Parameter body: JSON.
    static func call(
        _ method: String, _ path: String, query: String? = nil, token: String,
        headers: [(name: String, value: String)] = [], body: String? = nil
    ) -> HTTPRequest {
        HTTPRequest(
            method, "/api/v1\(path)", query: query,
            headers: [("Authorization", "Bearer \(token)")] + headers
                + (body == nil ? [] : [("Content-Type", "application/json")]), body: Array((body ?? "").utf8))
    }

    /// As an honest client frames it: whatever the parts are, it is one request with one answer.
    func written(host: String, saysLength: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 512)
        bytes += "\(method) \(path)\(query.map { "?\($0)" } ?? "") HTTP/1.1\r\nHost: \(host)".utf8
        for (name, value) in headers { bytes += "\r\n\(name): \(value)".utf8 }
        if saysLength, !body.isEmpty || method != "GET" { bytes += "\r\nContent-Length: \(body.count)".utf8 }
        bytes += "\r\n\r\n".utf8
        return bytes + body
    }

    /// Of bytes, what may stand in the first line of a request or in a header's value.
    static func visible(_ bytes: [UInt8], isTarget: Bool) -> String {
        var text: [UInt8] = []
        for byte in bytes.prefix(6_000) {
            switch byte {
            case 0x21...0x7E: text.append(byte)
            case 0x20 where !isTarget: text.append(byte)
            default: if isTarget { text += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8 }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// What a server answered.
struct HTTPReply {
    var status: Int
    var body: [UInt8]
    /// The server closes the connection after it.
    var isLast: Bool
}

/// Reads a server's answers as they come: bytes in, sometimes an answer out.
struct AnswerReader {
    private var received: [UInt8] = []
    private var first = 0

    mutating func feed(_ bytes: ArraySlice<UInt8>) { received += bytes }

    mutating func forget() {
        received.removeAll(keepingCapacity: true)
        first = 0
    }

    /// - Parameter isHead: that answer has no body, whatever its head says.
    mutating func next(isHead: Bool = false) -> HTTPReply? {
        while let answer = read(isHead: isHead) {
            // 100 Continue and the like come before the answer.
            if answer.status >= 200 || answer.status < 100 { return answer }
        }
        return nil
    }

    private mutating func read(isHead: Bool) -> HTTPReply? {
        guard let end = headEnd() else { return nil }
        let lines = received[first..<end - 4].split(separator: UInt8(ascii: "\n"))
        var (length, isLast) = (0, false)
        for line in lines.dropFirst() {
            let text = String(decoding: line, as: UTF8.self).lowercased()
            if text.hasPrefix("content-length:") {
                length = Int(text.dropFirst(15).filter(\.isNumber)) ?? 0
            } else if text.hasPrefix("connection:") {
                isLast = text.contains("close")
            }
        }
        let words = lines.first?.split(separator: UInt8(ascii: " ")) ?? []
        let status = words.count > 1 ? Int(String(decoding: words[1].prefix(3), as: UTF8.self)) ?? 0 : 0
        if isHead || status == 204 || status == 304 || status < 200 { length = 0 }
        guard received.count - end >= length else { return nil }
        let body = Array(received[end..<end + length])
        first = end + length
        if first == received.count { forget() }
        return HTTPReply(status: status, body: body, isLast: isLast)
    }

    private func headEnd() -> Int? {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        let last = (first + 3..<max(received.count, first + 3)).first {
            received[$0] == lf && received[$0 - 1] == cr && received[$0 - 2] == lf && received[$0 - 3] == cr
        }
        return last.map { $0 + 1 }
    }
}
