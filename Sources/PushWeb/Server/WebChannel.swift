internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
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
