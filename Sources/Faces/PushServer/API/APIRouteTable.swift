internal import HTTPTypes
internal import PushAPI
internal import PushWire

/// Finds routes by path. The paths of most requests contain no named segments, so most lookups need not
/// search all routes.
struct APIRouteTable: Sendable {
    /// The routes that are available over TCP.
    static let all = APIRouteTable(APIRoute.all.filter { !$0.operation.isLocal })
    /// The routes that are available on the Unix socket.
    static let local = APIRouteTable(APIRoute.all)

    /// The routes whose path contains no named segments, keyed by their segments.
    private let plain: [[String]: [APIRoute]]
    /// The routes whose path contains named segments, keyed by their total number of segments.
    private let named: [Int: [APIRoute]]
    /// The paths that contain no named segments.
    private let texts: Set<String>
    /// The patterns of all routes, with ``APIRoutes/root``.
    let patterns: [String]
    private let known: KnownPaths

    init(_ routes: [APIRoute]) {
        let plain = routes.filter(\.path.names.isEmpty)
        texts = Set(plain.map(\.path.text))
        self.plain = Dictionary(grouping: plain) { $0.path.text.split(separator: "/").map(String.init) }
        patterns = routes.map { APIRoutes.root + $0.path.text }
        known = KnownPaths(patterns)
        named = Dictionary(grouping: routes.filter { !$0.path.names.isEmpty }, by: \.path.count)
    }

    /// Returns the routes that match this path, with the values of the path's named segments. A path that
    /// matches a route without named segments is not matched against the other routes.
    /// - Parameter path: The decoded segments after ``APIRoutes/root``.
    func routes(_ path: [String]) -> [(route: APIRoute, names: [String: String])] {
        if let found = plain[path] { return found.map { ($0, [:]) } }
        let matching = (named[path.count] ?? []).compactMap { route in
            route.path.match(path).map { (route: route, names: $0) }
        }
        let fewestNames = matching.map(\.names.count).min()
        return matching.filter { $0.names.count == fewestNames }
    }

    /// Returns the problem of a request for a path that no route matches.
    /// - Parameter path: The segments of the requested path.
    func noRoute(_ path: [String]) -> APIProblem { APIProblem(.notFound, known.noPath(path)) }

    /// Returns the name under which requests for a path are counted: the route's pattern, or an empty string
    /// if no route matches.
    /// - Parameter path: The part of the requested path after ``APIRoutes/root``, not decoded.
    /// - Returns: `nil` if this is not a valid path.
    func name(of path: Substring) -> String? {
        let text = String(path)
        if texts.contains(text) { return text }
        guard let address = APIAddress(path: path.utf8, query: []) else { return nil }
        return routes(address.segments).first?.route.path.text ?? ""
    }
}
