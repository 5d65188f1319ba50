internal import Glibc
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOPosix
package import PushConfig
package import PushModel
internal import PushSystem

/// The web module of a process: a listener, and the routes that it answers. `pushmta run` starts it beside a
/// master, or alone (`--module web`).
///
/// It is a client of the use cases: what it wants to know of a master it asks its ``SendingEngine``, which
/// that process gives it. A new group of routes is a type like ``HealthRoutes``, and an element of the list
/// here.
/// **Promises.** When the initialiser returns, it listens. Nothing that takes long runs on its event loop.
/// **Neighbours.** ``WebServer`` has the socket; ``StatusProbes`` asks others.
package final class WebModule: Sendable {
    /// Where it listens: `127.0.0.1:8080`.
    package var address: String { server.address }
    /// Whether it speaks HTTPS.
    package var isSecure: Bool { upkeep.tls != nil }
    private let group: MultiThreadedEventLoopGroup
    private let server: WebServer
    private let probes: StatusProbes
    private let executor: APIExecutor
    private let upkeep: WebUpkeep

    /// Threads that answer. Two are busy before the store is.
    private static let loops = max(1, min(System.coreCount, 4))
    /// Threads that it starts, which must be possible: the process ends if one cannot be started.
    package static let threads = loops + StatusProbes.threads + APIExecutor.threads(APIExecutor.usual)
    /// Event loops with their timers, two listeners and some connections.
    private static let leastDescriptors = 10 + 3 * loops

    /// - Throws: where it cannot listen, or its certificate is of no use; nothing is left of it then.
    package init(_ settings: WebConfiguration, _ source: WebSource) throws(WebError) {
        try Self.requireDescriptors(Self.leastDescriptors, for: "the web module")
        var tls: WebTLS?
        if let files = settings.tls { tls = try WebTLS(files) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: Self.loops)
        let probes = StatusProbes(source, on: group.next())
        let (requests, executor) = (RequestCounts(), APIExecutor())
        let upkeep = WebUpkeep(settings, tls, source.logger)
        let routes: [any WebRoutes] = [
            HealthRoutes(probes: probes, devices: source.devices),
            MetricsRoutes(
                probes, requests, upkeep, devices: source.devices, started: Clocks.wall()),
            RegistrationRoutes(devices: source.devices),
            TrackingRoutes(devices: source.devices, product: source.product),
            APIRoutes(operations: source.operations, executor: executor, probes: probes),
        ]
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        let gate = RequestGate(counts: requests, rules: upkeep.rules)
        router.add(middleware: RequestWatch(gate, routes: routes))
        for group in routes { group.add(to: router) }
        do throws(WebError) {
            server = try WebServer(
                settings, tls, connections: upkeep.connections, group: group,
                responder: router.buildResponder()
            ) {
                DirectAnswers(
                    [
                        DirectHits(devices: source.devices), DirectRegistrations(devices: source.devices),
                        DirectMessages(operations: source.operations, executor: executor),
                    ], gate)
            }
        } catch {
            group.end(probes, executor)
            throw error
        }
        self.group = group
        (self.probes, self.executor, self.upkeep) = (probes, executor, upkeep)
        upkeep.begin(on: group.next(), executor, source.operations)
    }

    /// Goes on with what another file says, as far as that needs no restart; reads certificates again where
    /// they have changed. May wait for the disk.
    package func go(on settings: WebConfiguration) { upkeep.become(settings) }

    /// Accepts no connection, and completes the requests that have begun. Must be called once, before ``stop()``.
    /// - Returns: false: a request was incomplete at the deadline, and its connection is closed.
    package func drain(until deadline: MonotonicTime) -> Bool { server.drain(until: deadline) }

    package func stop() { group.end(probes, executor) }

    /// What an event loop is made of must be there: it would end the process where it is not.
    static func requireDescriptors(_ count: Int, for what: String) throws(WebError) {
        var taken: [Int32] = []
        defer { for descriptor in taken { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else {
                throw WebError("\(what) needs open files: \(SystemErrorText.of(errno))")
            }
            taken.append(descriptor)
        }
    }
}
