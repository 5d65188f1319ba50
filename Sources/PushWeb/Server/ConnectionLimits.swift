internal import NIOCore
internal import NIOHTTPTypes

/// What a single connection may cost: watches requests begin and end, for the ``ConnectionTable``.
///
/// **Promises.** It is in the table while it is open. A client that does not read what it asked for is let go.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// While the client takes nothing.
    private static let longestBacklog = TimeAmount.seconds(10)

    private let table: ConnectionTable
    private var connection: OpenConnection?
    private var end: Scheduled<Void>?
    private var requests = PipelinedRequests()

    init(_ table: ConnectionTable) { self.table = table }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { opened(context) } }

    func channelActive(context: ChannelHandlerContext) {
        opened(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { closed() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: connection?.become(requests.headCame())
        case .body: break
        case .end: connection?.become(requests.endCame())
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { connection?.become(requests.wasAnswered()) }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        end?.cancel()
        end = nil
        if !context.channel.isWritable {
            let channel = context.channel
            end = context.eventLoop.scheduleTask(in: Self.longestBacklog) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    private func opened(_ context: ChannelHandlerContext) {
        guard connection == nil else { return }
        let connection = OpenConnection(context.channel)
        connection.become(.forClient)
        self.connection = connection
        if !table.add(connection) { connection.close() }
    }

    private func closed() {
        end?.cancel()
        end = nil
        if let connection { table.remove(connection) }
    }
}
