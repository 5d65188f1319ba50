internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// HTTP/1.1, with TLS beneath it if there is a certificate: each connection takes the one that is current
/// then, which Hummingbird's own channel would keep for ever.
struct WebChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let http: HTTP1Channel
    let tls: WebTLS?
    let executors: LoopExecutors
    let connections: ConnectionTable

    /// What strangers do is not worth a line of the log.
    static let quiet = Logger(label: "web") { _ in SwiftLogNoOpLogHandler() }

    /// - Parameter direct: for each connection, what answers before the routes do.
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

    /// Hummingbird's own pipeline, with ``MessageGuard`` in place of its handler that translates messages.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            // The system would take megabytes of answers for a client that does not read them.
            try channel.syncOptions?.setOption(
                .socketOption(.so_sndbuf), value: SocketOptionValue(WebServer.Limits.maxUnreadBytes))
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.context)) }
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

    /// On the connection's own loop: nothing of a request changes threads.
    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(executors.of(value.channel.eventLoop)) {
            await http.handle(value: value, logger: logger)
        }
    }
}

/// What a single connection may cost: watches requests begin and end, and whether the client reads its
/// answers, for the ``ConnectionTable``, which has the connection while it is open.
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

    /// A body is read piece by piece: the client has the limit of a request for each.
    func awaitsPiece() { connection?.become(.forRequest(table.requestLimit)) }
    func hasPiece() { connection?.become(.forService) }

    func headCame() { note(requests.headCame()) }
    func endCame() { note(requests.endCame()) }
    func wasAnswered() { note(requests.wasAnswered()) }
    func became(isRead: Bool) { note(requests.became(isRead: isRead)) }

    /// - Parameter wait: nil: nothing changes.
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

/// Has tasks run on an event loop's thread: all that the web module does runs on threads that it started
/// itself, and no thread of Swift's pool is needed, which may not start when the machine is short of them.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// The executors of a group's loops.
struct LoopExecutors: Sendable {
    private let executors: [ObjectIdentifier: LoopExecutor]
    private let first: LoopExecutor

    init(_ group: MultiThreadedEventLoopGroup) {
        let first = LoopExecutor(group.next())
        var executors: [ObjectIdentifier: LoopExecutor] = [:]
        for loop in group.makeIterator() { executors[ObjectIdentifier(loop)] = LoopExecutor(loop) }
        (self.first, self.executors) = (first, executors)
    }

    /// That of the loop, or of any where it is of another group.
    func of(_ loop: any EventLoop) -> LoopExecutor { executors[ObjectIdentifier(loop)] ?? first }
    var any: LoopExecutor { first }
}

extension MultiThreadedEventLoopGroup {
    /// Ends the group and the threads of its module, and waits for none of them. NIO needs a thread of Dispatch for it,
    /// and waits until the machine has one: an event loop waits, not the process that ends.
    func end(_ probes: StatusProbes, _ executor: APIExecutor) {
        next().execute { [self] in
            probes.close()
            executor.close()
            shutdownGracefully { _ in }
        }
    }
}
