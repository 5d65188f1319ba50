internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

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
