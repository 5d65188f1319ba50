internal import Glibc
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOPosix
package import PushConfig
package import PushModel
internal import PushSystem

/// The web module of a process: a listener, and the routes that it answers. `pushmta run` starts it alongside
/// a master, or alone (`--module web`). If `web/@adminPort` is set, a second listener answers everything
/// except devices, and the first one answers devices only.
///
/// The module is a client of the use cases. It requests information about a master from its
/// ``SendingEngine``, which the process provides. To add a group of routes, write a type like
/// ``HealthRoutes`` and add it to one of the lists in this file.
/// **Promises.** When the initialiser returns, the module is listening. No lengthy work runs on its event
/// loop.
/// **Neighbours.** ``WebServer`` owns the socket; ``StatusProbes`` queries the master and the store.
package final class WebModule: Sendable {
    /// The address on which the module listens, such as `127.0.0.1:8080`.
    package var address: String { server.address }
    /// The address of the second listener; `nil` if there is none.
    package var adminAddress: String? { adminServer?.address }
    /// Whether the module uses HTTPS.
    package var isSecure: Bool { upkeep.tls != nil }
    private let group: MultiThreadedEventLoopGroup
    private let server: WebServer
    private let adminServer: WebServer?
    private let probes: StatusProbes
    private let executor: APIExecutor
    private let console: ConsoleLanes?
    private let upkeep: WebUpkeep

    /// The number of threads that answer requests. With only two threads, the threads would be saturated
    /// before the store is.
    private static let loops = max(1, min(System.coreCount, 4))
    /// The number of threads that the module starts. All of them must be available, because the process ends
    /// if a thread cannot be started.
    package static let threads =
        loops + StatusProbes.threads + APIExecutor.threads(APIExecutor.usual) + ConsoleLanes.threads
    /// The number of descriptors that event loops with their timers, two listeners and some connections need.
    private static let minDescriptors = 10 + 3 * loops

    /// - Throws: An error if the module cannot listen or its certificate is unusable. In that case the module
    ///   releases all its resources.
    package init(_ settings: WebConfiguration, _ source: WebSource) throws(WebError) {
        try Self.requireDescriptors(Self.minDescriptors, for: "the web module")
        var tls: WebTLS?
        if let files = settings.tls { tls = try WebTLS(files) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: Self.loops)
        let probes = StatusProbes(source, on: group.next())
        let (requests, executor) = (RequestCounts(), APIExecutor())
        let upkeep = WebUpkeep(settings, tls, source.logger)
        let devices = WebListener(
            routes: [
                RegistrationRoutes(devices: source.devices),
                TrackingRoutes(devices: source.devices, product: source.product),
            ],
            direct: [DirectHits(devices: source.devices), DirectRegistrations(devices: source.devices)])
        var others = WebListener(
            routes: [
                HealthRoutes(probes: probes, devices: source.devices),
                MetricsRoutes(probes, requests, upkeep, devices: source.devices, started: Clocks.wall()),
                APIRoutes(operations: source.operations, executor: executor, probes: probes),
            ], direct: [DirectMessages(operations: source.operations, executor: executor)])
        let console = settings.console ? ConsoleLanes() : nil
        if let console {
            others.routes.append(
                ConsoleRoutes(console, source.operations, rules: upkeep.rules, isSecure: tls != nil))
        }
        do throws(WebError) {
            (server, adminServer) = try WebListener.start(
                devices, others, settings, tls, upkeep, RequestGate(counts: requests, rules: upkeep.rules),
                group)
        } catch {
            group.end(probes, executor)
            console?.close()
            throw error
        }
        self.group = group
        (self.probes, self.executor, self.upkeep) = (probes, executor, upkeep)
        self.console = console
        upkeep.begin(on: group.next(), executor, console, source.operations)
    }

    /// Applies reloaded settings, except those that require a restart. Reads the certificate again if its
    /// files have changed. May wait for the disk.
    package func go(on settings: WebConfiguration) { upkeep.become(settings) }

    /// Stops accepting connections and completes the requests that have begun. Must be called once, before
    /// ``stop()``.
    /// - Returns: `false` if a request was incomplete at the deadline; its connection is then closed.
    package func drain(until deadline: MonotonicTime) -> Bool {
        adminServer?.beginDraining()
        let isComplete = server.drain(until: deadline)
        return adminServer?.hasDrained(by: deadline) ?? true && isComplete
    }

    package func stop() {
        console?.close()
        group.end(probes, executor)
    }

    /// Checks that the descriptors for an event loop are available. Without them, the loop would end the
    /// process.
    static func requireDescriptors(_ count: Int, for what: String) throws(WebError) {
        var taken: [Int32] = []
        defer { for descriptor in taken { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else {
                throw WebError("\(what) needs more open files: \(SystemErrorText.of(errno))")
            }
            taken.append(descriptor)
        }
    }
}
