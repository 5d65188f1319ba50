package import PushModel
internal import PushWire

/// A request to the console, independent of the server that received it.
package struct ConsoleRequest: Sendable {
    package enum Method: Sendable { case get, post }

    package var method: Method
    /// The path's segments below the console's root, decoded.
    package var path: [String]
    package var query: FormFields
    /// The fields of the body; empty if the request has none.
    package var form = FormFields()
    package var files: [UploadedFile] = []
    package var cookies: [String: String] = [:]
    /// The address of the client; `nil` if it is unknown.
    package var client: IPAddress?
    /// Whether the browser uses HTTPS.
    package var isSecure = false
    /// Whether the browser runs on this machine and no proxy is in between.
    package var isLocal = false
    /// The names by which browsers reach this host: `Host`, and what a trusted proxy received as `Host`.
    package var hosts: [String] = []
    package var origin: String?
    package var fetchSite: String?
    package var acceptLanguage: String?
    /// The people whom a trusted proxy states as the person who uses the browser: at most one, unless the
    /// proxy is misconfigured.
    package var statedPeople: [String] = []
    /// Whether the console's script requests a part of a page.
    package var isFragment = false

    package static let fragmentField = "x-console-fragment"
    /// The field of an answer whose part of a page does not change any more.
    package static let finalField = "x-console-final"

    package init(_ method: Method, path: [String] = [], query: FormFields = FormFields()) {
        (self.method, self.path, self.query) = (method, path, query)
    }

    /// Creates a request from its head; `nil` if its address is not valid.
    /// - Parameters:
    ///   - path: The path, including the console's root.
    ///   - header: Returns all values of a header field.
    package init?(
        _ method: Method, path: some Collection<UInt8>, query: some Collection<UInt8>,
        header: (_ name: String) -> [String]
    ) {
        guard let address = APIAddress(path: path, query: [UInt8]()),
            let query = FormFields(urlencoded: query), let root = address.segments.first,
            "/\(root)" == ConsolePath.root
        else { return nil }
        self.init(method, path: Array(address.segments.dropFirst()), query: query)
        for line in header("cookie") {
            for pair in line.split(separator: ";") {
                let halves = pair.split(separator: "=", maxSplits: 1)
                guard halves.count == 2, cookies.count < 100 else { continue }
                let name = String(halves[0]).trimmed
                // The first cookie counts: browsers send the one with the longest path first.
                if cookies[name] == nil { cookies[name] = String(halves[1]).trimmed }
            }
        }
        hosts = header("host")
        origin = header("origin").first
        fetchSite = header("sec-fetch-site").first
        acceptLanguage = header("accept-language").first
        isFragment = !header(Self.fragmentField).isEmpty
    }

    /// Reads the body of a form.
    /// - Returns: `false` if the body is not a form.
    package mutating func read(body: [UInt8], type: String) -> Bool {
        if let boundary = MultipartForm.boundary(in: type) {
            guard let form = MultipartForm(body, boundary: boundary) else { return false }
            (self.form, files) = (form.fields, form.files)
            return true
        }
        guard Self.isUrlencoded(type), let fields = FormFields(urlencoded: body) else { return false }
        form = fields
        return true
    }

    /// The maximum size of a body of this type; 0 if the console accepts no such body.
    package static func maxBodyBytes(of type: String) -> Int {
        if MultipartForm.boundary(in: type) != nil { return MultipartForm.maxBytes }
        return isUrlencoded(type) ? FormFields.maxBytes : 0
    }

    private static func isUrlencoded(_ type: String) -> Bool {
        type.prefix { $0 != ";" }.lowercased().filter { $0 != " " } == "application/x-www-form-urlencoded"
    }

    /// The address that was requested.
    var address: ConsolePath { ConsolePath(segments: path, query: query) }
}

/// Whether a request comes from a page of this host.
enum RequestOrigin {
    case own, foreign
    /// The browser sends neither `Sec-Fetch-Site` nor `Origin`.
    case unknown

    init(of request: ConsoleRequest) {
        // Browsers send Sec-Fetch-Site over HTTPS and to the machine itself. Pages cannot set it.
        if let site = request.fetchSite {
            self = site == "same-origin" || site == "none" ? .own : .foreign
        } else if let origin = request.origin {
            let authority = origin.split(separator: "/").last.map(Self.normal)
            let scheme = request.isSecure ? "https://" : "http://"
            self =
                origin.hasPrefix(scheme) && request.hosts.contains { Self.normal($0) == authority }
                ? .own : .foreign
        } else {
            self = .unknown
        }
    }

    /// Returns a host without the usual ports, in lower case.
    private static func normal(_ host: some StringProtocol) -> String {
        let host = host.lowercased()
        for suffix in [":443", ":80"] where host.hasSuffix(suffix) {
            return String(host.dropLast(suffix.count))
        }
        return host
    }
}
