internal import HTTPTypes
internal import PushAPI
internal import PushWire

/// Which routes a path means, found without looking at all of them: the paths of most requests have no names in them.
struct APIRouteTable: Sendable {
    /// The API.
    static let all = APIRouteTable(APIRoute.all.filter { !$0.operation.isLocal })
    /// The Unix socket.
    static let local = APIRouteTable(APIRoute.all)

    /// Those whose path has no names, by its segments.
    private let plain: [[String]: [APIRoute]]
    /// Those whose path has some, by the number of its segments.
    private let named: [Int: [APIRoute]]
    /// Paths without names.
    private let texts: Set<String>

    init(_ routes: [APIRoute]) {
        let plain = routes.filter(\.path.names.isEmpty)
        texts = Set(plain.map(\.path.text))
        self.plain = Dictionary(grouping: plain) { $0.path.text.split(separator: "/").map(String.init) }
        named = Dictionary(grouping: routes.filter { !$0.path.names.isEmpty }, by: \.path.count)
    }

    /// Routes of this path, with what stands in the places of its names. A path without names is not read as one
    /// whose name it could be.
    /// - Parameter path: its segments behind ``APIRoutes/root``, decoded.
    func routes(_ path: [String]) -> [(route: APIRoute, names: [String: String])] {
        if let found = plain[path] { return found.map { ($0, [:]) } }
        let matching = (named[path.count] ?? []).compactMap { route in
            route.path.match(path).map { (route: route, names: $0) }
        }
        let fewestNames = matching.map(\.names.count).min()
        return matching.filter { $0.names.count == fewestNames }
    }

    /// What a path is counted by: its pattern, or nothing where no route has it.
    /// - Parameter path: behind ``APIRoutes/root``, as it was asked for.
    /// - Returns: nil: it is none.
    func name(of path: Substring) -> String? {
        let text = String(path)
        if texts.contains(text) { return text }
        guard let address = APIAddress(path: path.utf8, query: []) else { return nil }
        return routes(address.segments).first?.route.path.text ?? ""
    }
}
