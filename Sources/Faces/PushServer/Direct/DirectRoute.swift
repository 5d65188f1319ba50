internal import HTTPTypes
internal import NIOCore

/// Requests that are asked so often that they are answered in the connection's pipeline, on its loop: without the
/// router, and without a task. Whatever is out of the ordinary is left to the router, which answers the same
/// requests by ``WebRoutes``.
protocol DirectRoute: Sendable {
    /// Where the request may be one of these.
    /// - Returns: what it is counted by; nil: it is none.
    func name(of head: HTTPRequest) -> String?

    /// Bytes that a body may have; one that is longer is the router's.
    var mostBodyBytes: Int { get }

    /// Must not wait for anything.
    /// - Parameter then: told once, on any thread, perhaps before this returns.
    /// - Returns: false: nothing was done, and the router is to be asked.
    func begin(_ request: DirectRequest, then: @escaping @Sendable (WebAnswer) -> Void) -> Bool
}

struct DirectRequest {
    let head: HTTPRequest
    let body: ByteBuffer

    /// What follows the question mark; empty: nothing.
    var query: Substring.UTF8View {
        let path = head.path ?? ""
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return path[path.endIndex...].utf8
        }
        return path[path.index(after: mark)...].utf8
    }
}

extension HTTPRequest {
    /// Whether nothing but an answer is asked of the connection: it goes on, nothing is waited for before the body
    /// comes, and the body's length is known.
    func isPlain(mostBodyBytes: Int) -> Bool {
        guard headerFields[.transferEncoding] == nil, headerFields[.expect] == nil else { return false }
        if let connection = headerFields[.connection], connection.lowercased() != "keep-alive" {
            return false
        }
        guard let length = headerFields[.contentLength] else { return true }
        return Int(length).map { (0...mostBodyBytes).contains($0) } ?? false
    }
}
