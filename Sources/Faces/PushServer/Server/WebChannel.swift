internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The channel for HTTP/1.1, over TLS if there is a certificate. Each connection uses the certificate that is
/// current when the connection begins. Hummingbird's own channel would keep the first certificate forever.
struct WebChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let http: HTTP1Channel
    let tls: WebTLS?
    let executors: LoopExecutors
    let connections: ConnectionTable

    /// The actions of unauthenticated clients are not logged.
    static let quiet = Logger(label: "web") { _ in SwiftLogNoOpLogHandler() }

    /// - Parameter direct: Returns the handlers that answer before the routes do. It is called for each
    ///   connection.
    static func http(
        _ responder: RouterResponder<WebContext>,
        _ direct: @escaping @Sendable () -> [any RemovableChannelHandler] = { [] }
    ) -> HTTP1Channel {
        HTTP1Channel(
            responder: { request, writer, channel in
                let context = WebContext(
                    source: ApplicationRequestContextSource(channel: channel, logger: quiet))
                let response = try await responder.respond(to: request, context: context)
                try await writer.write(response: response.head, body: response.body)
            },
            configuration: .init(additionalChannelHandlers: direct()))
    }

    private static var limits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = WebServer.Limits.maxFieldBytes
        limits.maxHeaderListSize = WebServer.Limits.maxHeadBytes
        limits.maxHeaderFieldCount = WebServer.Limits.maxFields
        return limits
    }

    /// Sets up Hummingbird's own pipeline, with ``MessageGuard`` in place of the handler that translates
    /// messages.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            // Otherwise the system would buffer megabytes of answers for a client that does not read them.
            try channel.syncOptions?.setOption(
                .socketOption(.so_sndbuf), value: SocketOptionValue(WebServer.Limits.maxUnreadBytes))
            if let tls { try pipeline.addHandler(TLSHandler(tls.identity)) }
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false,
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: Self.limits)
            try pipeline.addHandler(
                MessageGuard(isSecure: tls != nil, limits: ConnectionLimits(connections)))
            try pipeline.addHandlers(http.configuration.additionalChannelHandlers())
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try Value(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    /// Handles the connection on its own event loop, so that a request never changes threads.
    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(executors.of(value.channel.eventLoop)) {
            await http.handle(value: value, logger: logger)
        }
    }
}

/// The limits of a single connection. For the ``ConnectionTable``, this type observes the beginning and the
/// end of requests, and whether the client reads its answers. The table contains the connection while the
/// connection is open.
package final class ConnectionLimits {
    private let table: ConnectionTable
    private var connection: OpenConnection?
    private var requests = PipelinedRequests()

    package init(_ table: ConnectionTable) { self.table = table }

    func opened(_ channel: any Channel) {
        guard connection == nil else { return }
        let connection = OpenConnection(channel)
        connection.become(.forRequest(table.requestLimit))
        self.connection = connection
        if !table.add(connection) { connection.close() }
    }

    func closed() { if let connection { table.remove(connection) } }

    /// Starts the wait for the next piece of a body. The time limit for a request applies to each piece.
    func awaitsPiece() { connection?.become(.forRequest(table.requestLimit)) }
    func hasPiece() { connection?.become(.forService) }

    func headCame() { note(requests.headCame()) }
    func endCame() { note(requests.endCame()) }
    func wasAnswered() { note(requests.wasAnswered()) }
    func became(isRead: Bool) { note(requests.became(isRead: isRead)) }

    /// - Parameter wait: The new wait; `nil` if it is unchanged.
    private func note(_ wait: PipelinedRequests.Wait?) {
        switch wait {
        case .forRequest: connection?.become(.forRequest(table.requestLimit))
        case .forNextRequest: connection?.become(.forNextRequest(table.keepAlive))
        case .forReader: connection?.become(.forReader)
        case .forService: connection?.become(.forService)
        case nil: break
        }
        connection?.became(pipelining: requests.areSeveral)
    }
}

/// An executor that runs tasks on an event loop's thread. All work of the web module runs on threads that the
/// module started itself. The module therefore needs no thread from Swift's pool, which might fail to start
/// if the machine is short of threads.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// The executors of the loops in a group.
struct LoopExecutors: Sendable {
    private let executors: [ObjectIdentifier: LoopExecutor]
    private let first: LoopExecutor

    init(_ group: MultiThreadedEventLoopGroup) {
        let first = LoopExecutor(group.next())
        var executors: [ObjectIdentifier: LoopExecutor] = [:]
        for loop in group.makeIterator() { executors[ObjectIdentifier(loop)] = LoopExecutor(loop) }
        (self.first, self.executors) = (first, executors)
    }

    /// Returns the executor of the loop, or any executor if the loop belongs to another group.
    func of(_ loop: any EventLoop) -> LoopExecutor { executors[ObjectIdentifier(loop)] ?? first }
    var any: LoopExecutor { first }
}

extension MultiThreadedEventLoopGroup {
    /// Ends the group and the threads of its module without waiting for any of them. NIO needs a Dispatch
    /// thread to end a group, and waits until one is available. NIO waits on an event loop, so the wait does
    /// not delay the end of the process.
    func end(_ probes: StatusProbes, _ executor: APIExecutor) {
        next().execute { [self] in
            probes.close()
            executor.close()
            shutdownGracefully { _ in }
        }
    }
}
