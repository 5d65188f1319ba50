internal import Dispatch
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushConfig
internal import PushModel
internal import PushSystem
internal import Synchronization

/// A listening socket's life: Hummingbird on event loops of their own threads, without Swift's pool.
///
/// **Promises.** When the initialiser returns, it listens. ``stop(withinMilliseconds:)`` lets requests that
/// are being answered come to their end, and returns in time whatever they do.
/// **Failures.** ``WebError``, before it listens; a connection's trouble is that connection's alone.
final class WebServer: Sendable {
    /// What strangers may ask of it.
    enum Limits {
        static let backlog = 256
        /// Of one header, and of the request line.
        static let maxFieldBytes = 8 << 10
        static let maxHeadBytes = 32 << 10
        static let maxFields = 100
        /// Answers that the system keeps for a client that does not read; it allows itself twice as much.
        static let maxUnreadBytes = 128 << 10
        /// What whoever comes when too much waits to be written is asked to wait.
        static let retryAfterSeconds = 5
    }

    /// Where it listens: `127.0.0.1:8080`.
    let address: String
    private let executor: LoopExecutor
    private let server: Server<WebChannel>
    private let life: Task<Void, Never>
    private let ended: DispatchSemaphore

    /// - Parameters:
    ///   - responder: of routes made with the loop that they run on.
    ///   - direct: for each connection, what answers before the routes do.
    init(
        _ settings: WebConfiguration, _ tls: WebTLS?, connections: ConnectionTable,
        group: MultiThreadedEventLoopGroup, responder: RouterResponder<WebContext>,
        direct: @escaping @Sendable () -> DirectAnswers
    ) throws(WebError) {
        let place = settings.place(port: settings.httpPort)
        let executors = LoopExecutors(group)
        let executor = executors.any
        let start = Start()
        // Hummingbird's server without its application: that one's services would need Swift's pool, and wake up
        // each second.
        let server = Server(
            childChannelSetup: WebChannel(
                http: WebChannel.http(responder) { [direct()] }, tls: tls, executors: executors,
                connections: connections),
            configuration: ServerConfiguration(
                address: .hostname(settings.bind, port: settings.httpPort), backlog: Limits.backlog),
            onServerRunning: { start.said(.listening(port: $0.localAddress?.port ?? settings.httpPort)) },
            eventLoopGroup: group, logger: WebChannel.quiet)
        let ended = DispatchSemaphore(value: 0)
        let life = Task(executorPreference: executor) {
            do {
                try await server.run()
                start.said(.failed("it ended", 0))
            } catch {
                let errorNumber = (error as? IOError)?.errnoCode ?? 0
                let why = errorNumber == 0 ? "\(error)" : SystemErrorText.of(errorNumber)
                start.said(.failed(why, errorNumber))
            }
            ended.signal()
        }
        switch start.wait() {
        case .listening(let port): address = settings.place(port: port)
        case .failed(let why, let errorNumber):
            throw WebError.cannotListen(on: place, errorNumber: errorNumber, why: why)
        }
        (self.executor, self.server, self.life, self.ended) = (executor, server, life, ended)
    }

    /// Accepts no connection, and completes the requests that have begun; the others end at the deadline. Must be called
    /// once.
    /// - Returns: whether all were complete.
    func drain(until deadline: MonotonicTime) -> Bool {
        let server = server
        Task(executorPreference: executor) { try? await server.shutdownGracefully() }
        let left = max(deadline.milliseconds(since: Clocks.monotonic()), 0)
        let isComplete = ended.wait(timeout: .now() + .milliseconds(Int(left))) == .success
        if !isComplete { life.cancel() }
        return isComplete
    }

    /// What became of the beginning: said once, and waited for by the thread that began.
    private final class Start: Sendable {
        enum Word {
            case listening(port: Int)
            case failed(String, Int32)
        }

        private let word = Mutex<Word?>(nil)
        private let semaphore = DispatchSemaphore(value: 0)

        func said(_ word: Word) {
            let isFirst = self.word.withLock { known in
                guard known == nil else { return false }
                known = word
                return true
            }
            if isFirst { semaphore.signal() }
        }

        func wait() -> Word {
            semaphore.wait()
            return word.withLock { $0 } ?? .failed("nothing was said", 0)
        }
    }
}

extension WebConfiguration {
    /// `127.0.0.1:8080`, `[::1]:8080`
    fileprivate func place(port: Int) -> String {
        bind.contains(":") ? "[\(bind)]:\(port)" : "\(bind):\(port)"
    }
}

/// What routes know of a request beside its words.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who is at the other end of the connection; nil: nobody with an address.
    let peer: IPAddress?
    private let channel: any Channel

    /// On the connection's event loop only.
    var messageGuard: MessageGuard {
        get throws { try channel.pipeline.syncOperations.handler(type: MessageGuard.self) }
    }

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        coreContext = CoreRequestContextStorage(source: source)
        peer = IPAddress(source.channel.remoteAddress)
    }
}

/// Why the web module does not serve. One line: what, where, what to do.
package struct WebError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description.printable(atMost: 1_000) }

    static func cannotListen(on place: String, errorNumber: Int32, why: String) -> WebError {
        WebError("the web module cannot listen on \(place): \(why); \(advice(errorNumber))")
    }

    private static func advice(_ errorNumber: Int32) -> String {
        switch errorNumber {
        case EADDRINUSE:
            "give web/@httpPort another port in serverConf.xml, 0 for any free one, or set "
                + "web/@autoStart to false"
        case EACCES: "ports below 1024 need a privilege: give web/@httpPort another one in serverConf.xml"
        case EADDRNOTAVAIL: "web/@bind names an address that this machine does not have"
        default: "look at web/@bind and web/@httpPort in serverConf.xml"
        }
    }
}
