internal import Hummingbird
internal import NIOCore
internal import NIOPosix
internal import PushAPI
internal import PushConfig
package import PushModel

/// The API on the Unix socket of an instance, for commands and other programs on the machine. It has its own
/// event loop, threads and limits, so that no client of the web module can lock out the operator.
///
/// **Promises.** When the initialiser returns, the module answers requests. Every client is treated as the
/// operator and is recorded with its user id.
/// **Neighbours.** ``WebModule`` answers on TCP; ``LocalServer`` owns the socket.
package final class LocalModule: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let server: LocalServer
    private let probes: StatusProbes
    private let executor: APIExecutor

    /// The maximum number of concurrent connections.
    package static let maxConnections = 64
    /// The maximum time that a client may keep a connection open between two requests.
    private static let keepAlive: Duration = .seconds(60)
    /// The number of threads that perform operations, which may wait for the store.
    package static let operationThreads = 6
    private static let threadLimits: APIExecutor.Threads = { $0 == .change ? operationThreads : 1 }
    /// The number of threads that the module starts. All of them must be available, because the process ends
    /// if a thread cannot be started.
    package static let threads = 1 + StatusProbes.threads + APIExecutor.threads(threadLimits)
    /// The number of descriptors that the event loop, the listener and some connections need.
    private static let minDescriptors = 10
    private static let sweepInterval = TimeAmount.seconds(1)

    /// - Parameters:
    ///   - socket: A socket that is already listening. The module works with its own copy.
    ///   - requestLimit: The maximum time that a client may take to send a request.
    package init(
        on socket: Int32, _ source: WebSource, requestLimit: Duration = .seconds(10)
    ) throws(WebError) {
        try WebModule.requireDescriptors(Self.minDescriptors, for: "the Unix socket of the instance")
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // A command must show the current status, so a previous result is never reused.
        let probes = StatusProbes(source, on: group.next(), freshMilliseconds: 0)
        let executor = APIExecutor(Self.threadLimits)
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
            source.operations().waits.jobs.maintain(source.operations)
        }
    }

    /// Runs the service's own work on a thread that may wait for the disk.
    package func run(_ work: @escaping @Sendable () -> Void) { executor.run(work) }

    /// Stops accepting connections and completes the requests that have begun. Must be called once, before
    /// ``stop()``.
    /// - Returns: `false` if a request was incomplete at the deadline.
    package func drain(until deadline: MonotonicTime) -> Bool { server.drain(until: deadline) }

    package func stop() { group.end(probes, executor) }
}
