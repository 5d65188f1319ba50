internal import Hummingbird
internal import NIOPosix
internal import PushConfig
internal import PushModel
internal import PushSystem

/// What one listener of the web module answers.
struct WebListener {
    var routes: [any WebRoutes]
    /// The routes that answer before the router does.
    var direct: [any DirectRoute]

    /// Starts the listener of devices and the one of everything else or, without a port for the second one, a
    /// single listener that answers everything.
    ///
    /// The listeners share the certificate, the limit of requests for each address, and the counts of
    /// requests. Each has its own connections, so the connections of devices never displace those of
    /// operators.
    static func start(
        _ devices: WebListener, _ others: WebListener, _ settings: WebConfiguration, _ tls: WebTLS?,
        _ upkeep: WebUpkeep, _ gate: RequestGate, _ group: MultiThreadedEventLoopGroup
    ) throws(WebError) -> (WebServer, WebServer?) {
        let place = ListenPlace.devices(settings)
        guard let adminPlace = ListenPlace.admin(settings), let adminConnections = upkeep.adminConnections
        else {
            let all = WebListener(
                routes: devices.routes + others.routes, direct: devices.direct + others.direct)
            return (try all.start(at: place, tls, upkeep.connections, gate, group), nil)
        }
        let server = try devices.start(at: place, tls, upkeep.connections, gate, group)
        do throws(WebError) {
            return (server, try others.start(at: adminPlace, tls, adminConnections, gate, group))
        } catch {
            _ = server.drain(until: Clocks.monotonic().advanced(bySeconds: 1))
            throw error
        }
    }

    private func start(
        at place: ListenPlace, _ tls: WebTLS?, _ connections: ConnectionTable, _ gate: RequestGate,
        _ group: MultiThreadedEventLoopGroup
    ) throws(WebError) -> WebServer {
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestWatch(gate, routes: routes))
        for routes in routes { routes.add(to: router) }
        return try WebServer(
            place, tls, connections: connections, group: group, responder: router.buildResponder()
        ) { [direct] in DirectAnswers(direct, gate) }
    }
}

/// The address on which a server listens, and the settings that determine it.
struct ListenPlace {
    let host: String
    let port: Int
    let hostSetting: String
    let portSetting: String
    /// What an operator can do if the port cannot be used, other than to choose another one.
    let alternative: String

    static func devices(_ settings: WebConfiguration) -> ListenPlace {
        ListenPlace(
            host: settings.bind, port: settings.httpPort, hostSetting: "web/@bind",
            portSetting: "web/@httpPort", alternative: "set web/@autoStart to false")
    }

    /// Returns `nil` if one port answers everything.
    static func admin(_ settings: WebConfiguration) -> ListenPlace? {
        settings.adminPort.map {
            ListenPlace(
                host: settings.adminBind, port: $0, hostSetting: "web/@adminBind",
                portSetting: "web/@adminPort", alternative: "remove it")
        }
    }

    /// Returns an address such as `127.0.0.1:8080` or `[::1]:8080`.
    func text(port: Int) -> String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
