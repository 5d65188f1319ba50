/// The parts of a request, before it is written as HTTP/1.1.
struct LoadRequest: Sendable {
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

    /// Returns a call of the API.
    /// - Parameter body: The body as JSON.
    static func call(
        _ method: String, _ path: String, query: String? = nil, token: String,
        headers: [(name: String, value: String)] = [], body: String? = nil
    ) -> LoadRequest {
        LoadRequest(
            method, "/api/v1\(path)", query: query,
            headers: [("Authorization", "Bearer \(token)")] + headers
                + (body == nil ? [] : [("Content-Type", "application/json")]), body: Array((body ?? "").utf8))
    }

    /// Returns the request with the framing of a correct client. Whatever the parts contain, the result is
    /// one request and has one answer.
    func written(host: String, saysLength: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 512)
        bytes += "\(method) \(path)\(query.map { "?\($0)" } ?? "") HTTP/1.1\r\nHost: \(host)".utf8
        for (name, value) in headers { bytes += "\r\n\(name): \(value)".utf8 }
        if saysLength, !body.isEmpty || method != "GET" { bytes += "\r\nContent-Length: \(body.count)".utf8 }
        bytes += "\r\n\r\n".utf8
        return bytes + body
    }

    /// Returns bytes as text for a request's target or a header's value. Bytes that are not allowed there are
    /// percent-encoded in a target and omitted from a value.
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
