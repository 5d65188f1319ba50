/// A request to the HTTP API on its own connection.
package struct APIRequest: Sendable {
    package var method: String
    /// The path after `/api/v1`.
    package var path: String
    package var token: String?
    package var body: String?
    package var headers: [String: String]

    package init(
        _ method: String, _ path: String, token: String?, body: String? = nil, headers: [String: String] = [:]
    ) {
        self.method = method
        self.path = path
        self.token = token
        self.body = body
        self.headers = headers
    }

    /// - Parameter address: For example `127.0.0.1:8080`.
    package func bytes(for address: String) -> [UInt8] {
        var head = "\(method) /api/v1\(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body {
            if headers["Content-Type"] == nil { head += "Content-Type: application/json\r\n" }
            head += "Content-Length: \(body.utf8.count)\r\n"
        }
        return Array((head + "\r\n" + (body ?? "")).utf8)
    }

    package func ask(at address: String) throws -> PlainHTTP.Reply {
        guard let reply = PlainHTTP.reply(try PlainHTTP.exchange(bytes(for: address), at: address)) else {
            throw PlainHTTP.Failure(description: "no HTTP in the answer to \(method) \(path)")
        }
        return reply
    }
}
