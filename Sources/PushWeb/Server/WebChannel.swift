internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOSSL

/// HTTP/1.1, with TLS beneath it where there is a certificate: each connection takes the one that holds then,
/// which Hummingbird's own channel would keep for ever.
struct WebChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let http: HTTP1Channel
    let tls: WebTLS?
    let executors: LoopExecutors

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let tls else { return http.setup(channel: channel, logger: logger) }
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.context))
        }.flatMap { http.setup(channel: channel, logger: logger) }
    }

    /// On the connection's own loop: nothing of a request changes threads.
    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(executors.of(value.channel.eventLoop)) {
            await http.handle(value: value, logger: logger)
        }
    }
}
