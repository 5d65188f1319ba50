internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// A group of routes that belong together, such as all of the API: a file each.
protocol WebRoutes: Sendable {
    /// As clients ask for them: with another method they are answered with 405, and they are counted by name.
    var paths: [WebPath] { get }
    /// What a path is counted by that is not one of them; nil: it is nobody's.
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
    /// With HEAD after GET, which is answered wherever GET is.
    var allowingHead: [HTTPRequest.Method] { flatMap { $0 == .get ? [.get, .head] : [$0] } }
}

/// What a request is answered that is answered as a whole.
struct WebAnswer: Sendable {
    let status: HTTPResponse.Status
    let bytes: [UInt8]
    /// But for its length.
    var fields: HTTPFields

    init(_ status: HTTPResponse.Status, _ bytes: [UInt8], _ type: String) {
        self.status = status
        self.bytes = bytes
        fields = [.contentType: type, .cacheControl: "no-store"]
    }

    /// On a connection that has no router in its way.
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
