internal import Dispatch
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushModel
internal import PushSystem
internal import Synchronization

/// A listening socket from start to stop. Hummingbird serves it on event loops that have their own threads,
/// so Swift's thread pool is not used.
///
/// **Promises.** When the initialiser returns, the server is listening. ``drain(until:)`` lets requests that
/// are being answered finish, and returns by the deadline even if some are incomplete. **Failures.** If the
/// server cannot listen, the initialiser throws ``WebError``. A problem with one connection affects only that
/// connection.
final class WebServer: Sendable {
    /// The limits for unauthenticated clients.
    enum Limits {
        static let backlog = 256
        /// The maximum size of one header, and of the request line.
        static let maxFieldBytes = 8 << 10
        static let maxHeadBytes = 32 << 10
        static let maxFields = 100
        /// The number of bytes of answers that the system buffers for a client that does not read them. The
        /// system uses up to twice this number.
        static let maxUnreadBytes = 128 << 10
        /// The delay that clients are asked to observe while too much data is waiting to be written.
        static let retryAfterSeconds = 5
    }

    /// The address on which the server listens, such as `127.0.0.1:8080`.
    let address: String
    private let executor: LoopExecutor
    private let server: Server<WebChannel>
    private let life: Task<Void, Never>
    private let ended: DispatchSemaphore

    /// - Parameters:
    ///   - responder: The responder for the routes, which use the loops of `group`.
    ///   - direct: Returns the handler that answers before the routes do. It is called for each connection.
    init(
        _ place: ListenPlace, _ tls: WebTLS?, connections: ConnectionTable,
        group: MultiThreadedEventLoopGroup, responder: RouterResponder<WebContext>,
        direct: @escaping @Sendable () -> DirectAnswers
    ) throws(WebError) {
        let executors = LoopExecutors(group)
        let executor = executors.any
        let start = Start()
        // Hummingbird's server is used without its application, whose services would need Swift's pool and
        // wake up every second.
        let server = Server(
            childChannelSetup: WebChannel(
                http: WebChannel.http(responder) { [direct()] }, tls: tls, executors: executors,
                connections: connections),
            configuration: ServerConfiguration(
                address: .hostname(place.host, port: place.port), backlog: Limits.backlog),
            onServerRunning: { start.said(.listening(port: $0.localAddress?.port ?? place.port)) },
            eventLoopGroup: group, logger: WebChannel.quiet)
        let ended = DispatchSemaphore(value: 0)
        let life = Task(executorPreference: executor) {
            do {
                try await server.run()
                start.said(.failed("the server ended", 0))
            } catch {
                let errorNumber = (error as? IOError)?.errnoCode ?? 0
                let why = errorNumber == 0 ? "\(error)" : SystemErrorText.of(errorNumber)
                start.said(.failed(why, errorNumber))
            }
            ended.signal()
        }
        switch start.wait() {
        case .listening(let port): address = place.text(port: port)
        case .failed(let why, let errorNumber):
            throw WebError.cannotListen(on: place, errorNumber: errorNumber, why: why)
        }
        (self.executor, self.server, self.life, self.ended) = (executor, server, life, ended)
    }

    /// Stops accepting connections and completes the requests that have begun. Requests that are still
    /// incomplete at the deadline are aborted. The method must be called once.
    /// - Returns: Whether all requests were complete.
    func drain(until deadline: MonotonicTime) -> Bool {
        beginDraining()
        return hasDrained(by: deadline)
    }

    /// Stops accepting connections. Must be called once, followed by ``hasDrained(by:)``.
    func beginDraining() {
        let server = server
        Task(executorPreference: executor) { try? await server.shutdownGracefully() }
    }

    /// Waits until the requests that have begun are complete, and aborts those that are incomplete at the
    /// deadline.
    /// - Returns: Whether all requests were complete.
    func hasDrained(by deadline: MonotonicTime) -> Bool {
        let left = max(deadline.milliseconds(since: Clocks.monotonic()), 0)
        let isComplete = ended.wait(timeout: .now() + .milliseconds(Int(left))) == .success
        if !isComplete { life.cancel() }
        return isComplete
    }

    /// The result of the start. It is reported once, and the starting thread waits for it.
    private final class Start: Sendable {
        enum StartResult {
            case listening(port: Int)
            case failed(String, Int32)
        }

        private let word = Mutex<StartResult?>(nil)
        private let semaphore = DispatchSemaphore(value: 0)

        func said(_ word: StartResult) {
            let isFirst = self.word.withLock { known in
                guard known == nil else { return false }
                known = word
                return true
            }
            if isFirst { semaphore.signal() }
        }

        func wait() -> StartResult {
            semaphore.wait()
            return word.withLock { $0 } ?? .failed("the server reported no result", 0)
        }
    }
}

/// The information that routes have about a request in addition to its content.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the connection's peer; `nil` if the peer has no IP address.
    let peer: IPAddress?
    private let channel: any Channel

    /// The guard of the request's connection. It must be accessed only on the connection's event loop.
    var messageGuard: MessageGuard {
        get throws { try channel.pipeline.syncOperations.handler(type: MessageGuard.self) }
    }

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        coreContext = CoreRequestContextStorage(source: source)
        peer = IPAddress(source.channel.remoteAddress)
    }
}

/// The reason why the web module cannot serve requests. The text is one line that states what is wrong,
/// where, and what to do.
package struct WebError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description.printable(atMost: 1_000) }

    static func cannotListen(on place: ListenPlace, errorNumber: Int32, why: String) -> WebError {
        WebError(
            "the web module cannot listen on \(place.text(port: place.port)): \(why); "
                + advice(errorNumber, place))
    }

    private static func advice(_ errorNumber: Int32, _ place: ListenPlace) -> String {
        switch errorNumber {
        case EADDRINUSE:
            "set \(place.portSetting) in serverConf.xml to another port, or to 0 for any free port, or "
                + place.alternative
        case EACCES:
            "ports below 1024 require a privilege; set \(place.portSetting) in serverConf.xml to another port"
        case EADDRNOTAVAIL: "\(place.hostSetting) specifies an address that this machine does not have"
        default: "check \(place.hostSetting) and \(place.portSetting) in serverConf.xml"
        }
    }
}
