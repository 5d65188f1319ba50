/// An answer of the console, independent of the server that sends it.
package struct ConsoleAnswer: Sendable {
    package var status: Int
    package private(set) var fields: [(name: String, value: String)]
    package var body: [UInt8]

    /// What a page of the console may load: only files of this host, and no script or style in the markup.
    package static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        form-action 'self'; frame-ancestors 'none'; base-uri 'none'
        """

    init(_ status: Int, _ body: [UInt8] = [], type: String, cacheControl: String = "no-store") {
        self.status = status
        self.body = body
        fields = [
            ("content-type", type), ("cache-control", cacheControl),
            ("content-security-policy", Self.contentSecurityPolicy),
            ("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin"),
            ("x-frame-options", "DENY"), ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ]
    }

    init(_ status: Int, html: HTML) {
        self.init(status, Array(html.text.utf8), type: "text/html; charset=utf-8")
    }

    /// - Parameter location: An address on this host.
    init(redirectingTo location: String) {
        self.init(303, type: "text/plain; charset=utf-8")
        add("location", location)
    }

    /// Creates an answer that a server sends without asking the console, for example because a body is too
    /// large.
    package init(_ status: Int, line: String) {
        self.init(status, Array("\(line)\n".utf8), type: "text/plain; charset=utf-8")
    }

    package static func redirect(to path: ConsolePath) -> ConsoleAnswer {
        ConsoleAnswer(redirectingTo: path.url)
    }

    mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    package func value(of name: String) -> String? { fields.first { $0.name == name }?.value }
    package func values(of name: String) -> [String] {
        fields.compactMap { $0.name == name ? $0.value : nil }
    }
}
