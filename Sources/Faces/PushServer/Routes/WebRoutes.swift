internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// A group of related routes, such as the entire API. Each group has its own file.
protocol WebRoutes: Sendable {
    /// The paths of this group, each with its method. A request for such a path with a different method is
    /// answered with 405. Requests are counted by path.
    var paths: [WebPath] { get }
    /// Returns the name under which a path outside `paths` is counted; `nil` if the path does not belong to
    /// this group.
    func name(of path: String) -> String?
    func add(to router: Router<WebContext>)
}

extension WebRoutes {
    func name(of path: String) -> String? { nil }
}

struct WebPath: Hashable, Sendable {
    let method: HTTPRequest.Method
    let path: String

    init(_ method: HTTPRequest.Method, _ path: String) {
        self.method = method
        self.path = path
    }
}

extension HTTPField.Name {
    static let xForwardedFor = HTTPField.Name("x-forwarded-for")
}

extension [HTTPRequest.Method] {
    /// The methods with HEAD added after GET, because each path that supports GET also supports HEAD.
    var allowingHead: [HTTPRequest.Method] { flatMap { $0 == .get ? [.get, .head] : [$0] } }
}

/// A complete answer to a request.
struct WebAnswer: Sendable {
    let status: HTTPResponse.Status
    let bytes: [UInt8]
    /// The header fields, except `Content-Length`.
    var fields: HTTPFields

    init(_ status: HTTPResponse.Status, _ bytes: [UInt8], _ type: String) {
        self.status = status
        self.bytes = bytes
        fields = [.contentType: type, .cacheControl: "no-store"]
    }

    /// The head of the answer on a connection that bypasses the router.
    var head: HTTPResponse {
        var head = HTTPResponse(status: status, headerFields: fields)
        head.headerFields[.contentLength] = "\(bytes.count)"
        return head
    }

    var response: Response {
        Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Response {
    static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        bytes(status, Array(text.utf8), "text/plain; charset=utf-8")
    }

    static func bytes(_ status: HTTPResponse.Status, _ bytes: [UInt8], _ type: String) -> Response {
        WebAnswer(status, bytes, type).response
    }
}
