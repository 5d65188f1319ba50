internal import NIOCore
internal import NIOHTTPTypes

/// What a single connection may cost: watches requests begin and end, and whether the client reads its
/// answers, for the ``ConnectionTable``, which has the connection while it is open.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let table: ConnectionTable
    private var connection: OpenConnection?
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
        case .head: note(requests.headCame())
        case .body: break
        case .end: note(requests.endCame())
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { note(requests.wasAnswered()) }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        note(requests.became(isRead: context.channel.isWritable))
        context.fireChannelWritabilityChanged()
    }

    /// - Parameter wait: nil: nothing changes.
    private func note(_ wait: PipelinedRequests.Wait?) {
        switch wait {
        case .forRequest: connection?.become(.forRequest)
        case .forNextRequest: connection?.become(.forNextRequest(table.keepAlive))
        case .forReader: connection?.become(.forReader)
        case .forService: connection?.become(.forService)
        case nil: break
        }
        connection?.became(pipelining: requests.areSeveral)
    }

    private func opened(_ context: ChannelHandlerContext) {
        guard connection == nil else { return }
        let connection = OpenConnection(context.channel)
        connection.become(.forRequest)
        self.connection = connection
        if !table.add(connection) { connection.close() }
    }

    private func closed() {
        if let connection { table.remove(connection) }
    }
}
