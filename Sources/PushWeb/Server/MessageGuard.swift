package import NIOCore
package import NIOHTTP1

/// Enforces ``MessageRules`` for a connection, before any other handler sees its requests.
///
/// **Promises.** A request that breaks the rules, or is not HTTP, is answered after all requests before it, and is
/// the last one; so is a request whose body breaks off the framing, which is answered here and by nobody else. A
/// request that is answered before its body has come is the last one, too. After the last request nothing more is
/// read, its answer announces that the connection ends, and it ends: at once in the direction of the client, and as a
/// whole when the client has had time to read the answer. What follows learns by `Connection: close` alone that a
/// request is the last one. A client that waits for `100 Continue` receives it when its request's turn has come.
package final class MessageGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    private struct Request {
        let persistence: MessageRules.Persistence
        /// Whether its answer has a body.
        let hasBody: Bool
    }

    private struct Refusal {
        let fault: MessageRules.Fault
        let hasBody: Bool
    }

    /// The time in which the client can read the last answer, which a reset would destroy.
    private static let lastSeconds = TimeAmount.seconds(5)

    /// Requests that were passed on and are not answered, in their order.
    private var unanswered = CircularBuffer<Request>()
    /// Between the head and the end of a request, which is the last one of ``unanswered`` unless it was answered early.
    private var isReading = false
    /// Between the head and the end of the answer to the first of ``unanswered``.
    private var isAnswering = false
    /// The request that is being read was, or is being, answered before its body has come.
    private var isAnsweredEarly = false
    /// The client of the request that is being read sends no body before it is asked to.
    private var awaitsContinue = false
    /// The last request has come, as a whole or as far as it makes sense.
    private var isOver = false
    private var refusal: Refusal?
    /// The last answer was given here: any other one is for a request that was refused.
    private var hasRefused = false
    private var closing: Scheduled<Void>?

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, data, context)
        case .body:
            awaitsContinue = false
            context.fireChannelRead(data)
        case .end:
            (isReading, awaitsContinue) = (false, false)
            if isAnsweredEarly { isOver = true }
            if case .ends = unanswered.last?.persistence { isOver = true }
            context.fireChannelRead(data)
        }
    }

    /// - Parameter data: the head, which is passed on as it is unless something is to be added.
    private func begin(_ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext) {
        let hasBody = head.method != .HEAD
        do throws(MessageRules.Fault) {
            let (persistence, awaitsContinue) = try MessageRules.read(head)
            unanswered.append(Request(persistence: persistence, hasBody: hasBody))
            isReading = true
            self.awaitsContinue = awaitsContinue
            guard case .ends = persistence else { return context.fireChannelRead(data) }
            var last = head
            last.headers.replaceOrAdd(name: "connection", value: "close")
            context.fireChannelRead(wrapInboundOut(.head(last)))
        } catch {
            refuse(Refusal(fault: error, hasBody: hasBody), context)
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // Only now: what has come with the head needs no invitation.
        continueInTurn(context)
        context.fireChannelReadComplete()
    }

    /// RFC 9110, 10.1.1. It is no answer, and comes after the answers to all requests before this one.
    private func continueInTurn(_ context: ChannelHandlerContext) {
        guard awaitsContinue, isReading, unanswered.count == 1, !isAnswering else { return }
        awaitsContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        guard !isOver else { return }
        guard isReading else {
            return refuse(Refusal(fault: .notHTTP, hasBody: true), context)
        }
        isReading = false
        // The answer has begun, and has announced the end.
        guard !isAnsweredEarly, let broken = unanswered.popLast() else { return isOver = true }
        // What was passed on of this request ends with the connection, and its answer is not written. The error is
        // not passed on: it would be answered again, or close the connection before this answer is read.
        refuse(Refusal(fault: .brokenBody, hasBody: broken.hasBody), context)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        stopWaiting()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { stopWaiting() }

    // MARK: Answers

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasRefused else {
            promise?.succeed()
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head):
            let changed = begin(head)
            context.write(changed.map { wrapOutboundOut(.head($0)) } ?? data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let isEarly = isReading && unanswered.count == 1
            let request = unanswered.popFirst()
            isAnswering = false
            var isLast = isEarly
            if case .ends = request?.persistence { isLast = true }
            guard isLast else {
                context.write(data, promise: promise)
                refuseInTurn(context)
                return continueInTurn(context)
            }
            let written = promise ?? context.eventLoop.makePromise()
            if isEarly { closeOutput(context, after: written.futureResult) }
            closeSoon(context, after: written.futureResult)
            context.write(data, promise: written)
        }
    }

    /// - Returns: The head of the answer, with what it has to announce about the connection; nil if that is nothing.
    private func begin(_ answer: HTTPResponseHead) -> HTTPResponseHead? {
        var head = answer
        isAnswering = true
        if isReading, unanswered.count == 1 {
            // The client may send the body or not, and may break it: the next request cannot be found for certain.
            (isAnsweredEarly, awaitsContinue) = (true, false)
            head.headers.replaceOrAdd(name: "connection", value: "close")
            return head
        }
        switch unanswered.first?.persistence {
        case .ends: head.headers.replaceOrAdd(name: "connection", value: "close")
        case .persistsByRequest where !head.headers.contains(name: "connection"):
            head.headers.add(name: "connection", value: "keep-alive")
        case .persists, .persistsByRequest, nil: return nil
        }
        return head
    }

    private func refuse(_ refusal: Refusal, _ context: ChannelHandlerContext) {
        isOver = true
        self.refusal = refusal
        refuseInTurn(context)
    }

    private func refuseInTurn(_ context: ChannelHandlerContext) {
        guard unanswered.isEmpty, let refusal else { return }
        self.refusal = nil
        hasRefused = true
        let text = "\(refusal.fault.why)\n"
        let head = HTTPResponseHead(
            version: .http1_1, status: refusal.fault.status,
            headers: [
                "content-type": "text/plain; charset=utf-8", "content-length": "\(text.utf8.count)",
                "cache-control": "no-store", "connection": "close",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if refusal.hasBody {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        closeOutput(context, after: written.futureResult)
        closeSoon(context, after: written.futureResult)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    // MARK: The end

    private func closeOutput(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>) {
        let this = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.whenSuccess { this.value.close(mode: .output, promise: nil) }
    }

    private func closeSoon(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>) {
        let this = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        written.whenSuccess {
            let (handler, context) = this.value
            guard handler.closing == nil, context.channel.isActive else { return }
            let channel = context.channel
            handler.closing = channel.eventLoop.scheduleTask(in: Self.lastSeconds) {
                channel.close(promise: nil)
            }
        }
    }

    /// The task would keep the connection's handlers and buffers in memory although the client has left.
    private func stopWaiting() {
        closing?.cancel()
        closing = nil
    }
}

extension MessageRules.Fault {
    fileprivate static let notHTTP = Self(status: .badRequest, why: "this is not a request of HTTP/1.1")
    fileprivate static let brokenBody = Self(
        status: .badRequest,
        why: "the body breaks off or breaks the rules of its coding; nothing of it was used")
}
