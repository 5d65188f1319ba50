internal import NIOCore
internal import NIOHTTP1

/// Keeps ``MessageRules`` for a connection, before anything else sees its requests.
///
/// **Promises.** A request that breaks them, or is not HTTP, is answered after all requests before it, and is
/// the last one. After the last request nothing more is read, the answer says that the connection ends, and
/// it ends: at once in the direction of the client, and as a whole when the client has had time to read the
/// answer. What follows learns by `Connection: close` alone that a request is the last one.
final class MessageGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the client has to read the last answer, which a reset would take away from it.
    private static let lastSeconds = TimeAmount.seconds(5)

    /// Requests that were passed on and are not answered, in their order.
    private var unanswered = CircularBuffer<MessageRules.Persistence>()
    private var isReading = false
    /// The last request has come as a whole.
    private var isOver = false
    private var refusal: (fault: MessageRules.Fault, hasBody: Bool)?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            do throws(MessageRules.Fault) {
                let persistence = try MessageRules.persistence(of: head)
                if case .ends = persistence { head.headers.replaceOrAdd(name: "connection", value: "close") }
                unanswered.append(persistence)
                isReading = true
                context.fireChannelRead(wrapInboundOut(.head(head)))
            } catch {
                refuse(error, hasBody: head.method != .HEAD, context)
            }
        case .body: context.fireChannelRead(data)
        case .end:
            isReading = false
            if case .ends = unanswered.last { isOver = true }
            context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, !isReading else {
            return context.fireErrorCaught(error)
        }
        guard !isOver else { return }
        refuse(
            MessageRules.Fault(status: .badRequest, why: "this is not a request of HTTP/1.1"), hasBody: true,
            context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            switch unanswered.first {
            case .ends: head.headers.replaceOrAdd(name: "connection", value: "close")
            case .persistsByRequest where !head.headers.contains(name: "connection"):
                head.headers.add(name: "connection", value: "keep-alive")
            case .persists, .persistsByRequest, nil: return context.write(data, promise: promise)
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            guard case .ends = unanswered.popFirst() else {
                context.write(data, promise: promise)
                return refuseInTurn(context)
            }
            let written = promise ?? context.eventLoop.makePromise()
            closeSoon(context, after: written.futureResult)
            context.write(data, promise: written)
        }
    }

    private func refuse(_ fault: MessageRules.Fault, hasBody: Bool, _ context: ChannelHandlerContext) {
        isOver = true
        refusal = (fault, hasBody)
        refuseInTurn(context)
    }

    private func refuseInTurn(_ context: ChannelHandlerContext) {
        guard unanswered.isEmpty, let (fault, hasBody) = refusal else { return }
        refusal = nil
        let text = "\(fault.why)\n"
        let head = HTTPResponseHead(
            version: .http1_1, status: fault.status,
            headers: [
                "content-type": "text/plain; charset=utf-8", "content-length": "\(text.utf8.count)",
                "cache-control": "no-store", "connection": "close",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if hasBody {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        let this = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenSuccess { this.value.close(mode: .output, promise: nil) }
        closeSoon(context, after: written.futureResult)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    private func closeSoon(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>) {
        let channel = context.channel
        written.whenSuccess {
            channel.eventLoop.scheduleTask(in: Self.lastSeconds) { channel.close(promise: nil) }
        }
    }
}
