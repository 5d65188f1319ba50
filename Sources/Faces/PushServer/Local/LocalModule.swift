internal import Hummingbird
internal import NIOCore
internal import NIOPosix
internal import PushAPI
internal import PushConfig
package import PushModel

/// The API on the Unix socket of an instance, for commands and for other programs of the machine. It has its own event
/// loop, threads and limits: no client of the web module can lock the operator out.
///
/// **Promises.** When the initialiser returns, it answers. Any client is the operator, recorded with its user id.
/// **Neighbours.** ``WebModule`` answers on TCP; ``LocalServer`` has the socket.
package final class LocalModule: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let server: LocalServer
    private let probes: StatusProbes
    private let executor: APIExecutor

    /// Connections at once.
    package static let maxConnections = 64
    /// How long a client may keep a connection between two requests.
    private static let keepAlive: Duration = .seconds(60)
    /// Threads that perform operations, which may wait for the store.
    package static let operationThreads = 6
    private static let deskThreads: APIExecutor.Threads = { $0 == .change ? operationThreads : 1 }
    /// Threads that it starts, which must be possible: the process ends if one cannot be started.
    package static let threads = 1 + StatusProbes.threads + APIExecutor.threads(deskThreads)
    /// Those of its loop, its listener and some connections.
    private static let minDescriptors = 10
    private static let sweepInterval = TimeAmount.seconds(1)

    /// - Parameters:
    ///   - socket: listens already. The module works with a copy of its own.
    ///   - requestLimit: how long a client may take for a request.
    package init(
        on socket: Int32, _ source: WebSource, requestLimit: Duration = .seconds(10)
    ) throws(WebError) {
        try WebModule.requireDescriptors(Self.minDescriptors, for: "the Unix socket of the instance")
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // A command shows what holds now.
        let probes = StatusProbes(source, on: group.next(), freshMilliseconds: 0)
        let executor = APIExecutor(Self.deskThreads)
        let routes = APIRoutes(
            operations: source.operations, executor: executor, probes: probes, isLocal: true)
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        let gate = RequestGate(counts: RequestCounts(), rules: WebRules(WebConfiguration()))
        router.add(middleware: RequestWatch(gate, routes: [routes]))
        routes.add(to: router)
        let connections = ConnectionTable(
            most: Self.maxConnections, keepAlive: Self.keepAlive, requestLimit: requestLimit)
        do throws(WebError) {
            server = try LocalServer(
                socket, connections, group, router.buildResponder(), source.logger)
        } catch {
            group.end(probes, executor)
            throw error
        }
        (self.group, self.probes, self.executor) = (group, probes, executor)
        let loop = group.next()
        loop.scheduleRepeatedTask(initialDelay: Self.sweepInterval, delay: Self.sweepInterval) { _ in
            connections.sweep()
            executor.sweep()
            source.operations().waits.jobs.tend(source.operations)
        }
    }

    /// Has work of the service itself done on a thread that may wait for the disk.
    package func run(_ work: @escaping @Sendable () -> Void) { executor.run(work) }

    /// Accepts no connection, and completes the requests that have begun. Must be called once, before ``stop()``.
    /// - Returns: false: a request was incomplete at the deadline.
    package func drain(until deadline: MonotonicTime) -> Bool { server.drain(until: deadline) }

    package func stop() { group.end(probes, executor) }
}
