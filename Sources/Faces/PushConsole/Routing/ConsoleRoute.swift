package import PushModel
internal import PushWire

/// One address of the console: a method, a path, the scope that it needs, and the function that answers.
package struct ConsoleRoute: Sendable {
    package let method: ConsoleRequest.Method
    /// The path below the console's root. A segment in braces has a name: `/deliveries/{id}`.
    package let pattern: String
    /// The scope that the person must have; `nil` if every person who is signed in may use the route.
    package let scope: AccessScope?
    /// Whether the person must have entered the password within the last ten minutes.
    package let isGuarded: Bool
    /// Whether answering can take longer than a page may: the route reads a whole target or an app's
    /// subscribers, or waits for another server.
    package let isLengthy: Bool
    /// Whether a form that is submitted again, without a change of what was filled in, has no second effect.
    package let isOnce: Bool
    let path: APIPattern
    let answer: @Sendable (Visit) throws -> Reply

    /// - Parameter guarded: Whether the person must have entered the password within the last ten minutes.
    ///   If not, the console asks for the password first. Guard the actions that only an admin may carry out.
    /// - Parameter lengthy: Whether the route has other threads than pages, so that pages do not wait for it.
    /// - Parameter once: Whether submitting the form again must not have a second effect. Set it if the route
    ///   creates, sends or exchanges something, but not if the use case sets a state: the person may want to
    ///   set that state again.
    package init(
        _ method: ConsoleRequest.Method, _ pattern: StaticString, needs scope: AccessScope?,
        guarded: Bool = false, lengthy: Bool = false, once: Bool = false,
        answer: @escaping @Sendable (Visit) throws -> Reply
    ) {
        self.method = method
        self.pattern = pattern.description
        self.scope = scope
        (isGuarded, isLengthy, isOnce) = (guarded, lengthy, once)
        path = APIPattern(pattern.description)
        self.answer = answer
    }

    /// The number of segments that have a name. If several routes match, the one with the smallest number
    /// answers.
    fileprivate var variables: Int { path.names.count }

    fileprivate static func precedes(_ left: ConsoleRoute, _ right: ConsoleRoute) -> Bool {
        left.variables < right.variables
    }
}

/// Screens on one subject. Add the type to ``Screens/all``.
package protocol ScreenGroup: SendableMetatype {
    static var routes: [ConsoleRoute] { get }
    /// The notices with which the group's screens redirect.
    static var notices: [Notice] { get }
}

extension ScreenGroup {
    package static var notices: [Notice] { [] }
}

/// All routes, by method and number of segments.
struct RouteTable: Sendable {
    private struct Key: Hashable {
        let method: ConsoleRequest.Method
        let segments: Int
    }

    let routes: [ConsoleRoute]
    private let byKey: [Key: [ConsoleRoute]]
    private let notices: [String: Notice]

    init(_ groups: [any ScreenGroup.Type]) {
        routes = groups.flatMap { $0.routes }
        byKey = Dictionary(grouping: routes) { Key(method: $0.method, segments: $0.path.count) }
            .mapValues { $0.sorted(by: ConsoleRoute.precedes) }
        notices = Dictionary(groups.flatMap { $0.notices }.map { ($0.id, $0) }) { first, _ in first }
    }

    /// - Returns: The route and the values of the named segments; `nil` if no route has the path.
    func route(_ method: ConsoleRequest.Method, _ path: [String]) -> (ConsoleRoute, [String: String])? {
        for route in byKey[Key(method: method, segments: path.count)] ?? [] {
            if let names = route.path.match(path) { return (route, names) }
        }
        return nil
    }

    /// Whether the form with this action must have one effect: see ``ConsoleRoute/isOnce``.
    func isOnce(_ action: ConsolePath) -> Bool { route(.post, Self.segments(of: action))?.0.isOnce == true }

    func notice(_ id: String) -> Notice? { notices[id] }

    /// Whether a page exists, for navigation.
    func hasPage(_ path: ConsolePath) -> Bool {
        route(.get, Self.segments(of: path)) != nil
    }

    private static func segments(of path: ConsolePath) -> [String] {
        path.text.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    }
}
