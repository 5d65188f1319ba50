internal import HTTPTypes
internal import NIOCore

/// A route for requests that are so frequent that they are answered in the connection's pipeline, on its
/// event loop, without the router and without a task. Unusual forms of these requests are left to the router,
/// which answers them through ``WebRoutes``.
protocol DirectRoute: Sendable {
    /// Checks whether the request may be for this route.
    /// - Returns: The name under which the request is counted; `nil` if the request is not for this route.
    func name(of head: HTTPRequest) -> String?

    /// The maximum body size, in bytes. A request with a longer body is left to the router.
    var maxBodyBytes: Int { get }

    /// Starts answering the request. The method must not wait for anything.
    /// - Parameter then: Called once, on any thread, possibly before this method returns.
    /// - Returns: `false` if nothing was done and the router must handle the request.
    func begin(_ request: DirectRequest, then: @escaping @Sendable (WebAnswer) -> Void) -> Bool
}

struct DirectRequest {
    let head: HTTPRequest
    let body: ByteBuffer

    /// The part of the path after the question mark; may be empty.
    var query: Substring.UTF8View {
        let path = head.path ?? ""
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return path[path.endIndex...].utf8
        }
        return path[path.index(after: mark)...].utf8
    }
}

extension HTTPRequest {
    /// Reports whether the request requires no special treatment of the connection: the connection persists,
    /// the client does not wait before it sends the body, and the length of the body is known and within the
    /// limit.
    func isPlain(maxBodyBytes: Int) -> Bool {
        guard headerFields[.transferEncoding] == nil, headerFields[.expect] == nil else { return false }
        if let connection = headerFields[.connection], connection.lowercased() != "keep-alive" {
            return false
        }
        guard let length = headerFields[.contentLength] else { return true }
        return Int(length).map { (0...maxBodyBytes).contains($0) } ?? false
    }
}
