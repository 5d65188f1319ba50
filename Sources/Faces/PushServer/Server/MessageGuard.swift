internal import HTTPTypes
package import NIOCore
package import NIOHTTP1
package import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// A handler that enforces ``MessageRules`` for a connection before any other handler sees its requests, and
/// translates between HTTP/1.1 and the version-independent messages of the later handlers.
///
/// **Promises.** A request that breaks the rules or is not HTTP is answered after all earlier requests, and
/// is the last request on its connection. A request is also the last one in two other cases: if it is
/// answered before its body has arrived, or if its body breaks the framing. In the second case, only this
/// handler answers it. After the last request, nothing more is read. The answer to the last request announces
/// that the connection will be closed. The connection is then closed immediately in the direction of the
/// client, and completely after the client has had time to read the answer. Later handlers learn only from
/// `Connection: close` that a request is the last request. A client that waits for `100 Continue` receives it
/// when all earlier requests are answered. This handler notifies ``ConnectionLimits`` of each request that it
/// passes on.
///
/// **One handler.** Both tasks are in one handler, because a request and its answer consist of six parts, and
/// every handler has to unwrap each part.
package final class MessageGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    private struct Request {
        let persistence: MessageRules.Persistence
        /// Whether the answer to the request has a body.
        let hasBody: Bool
    }

    private struct Refusal {
        let fault: MessageRules.Fault
        let hasBody: Bool
    }

    /// The time that the client is given to read the last answer. A reset of the connection would destroy an
    /// unread answer.
    private static let lastSeconds = TimeAmount.seconds(5)

    private let isSecure: Bool
    let limits: ConnectionLimits
    /// The requests that have been passed on and not yet answered, in order.
    private var unanswered = CircularBuffer<Request>()
    /// Whether the handler is between the head and the end of a request. That request is the last in
    /// ``unanswered``, unless it was answered early.
    private var isReading = false
    /// Whether the handler is between the head and the end of the answer to the first request in
    /// ``unanswered``.
    private var isAnswering = false
    /// Whether the answer to the request that is being read has begun, or is complete, before the body has
    /// arrived.
    private var isAnsweredEarly = false
    /// Whether the client waits for `100 Continue` before it sends the body of the request that is being
    /// read.
    private var awaitsContinue = false
    /// Whether this handler ignores everything further that the client sends: the connection's final request
    /// has arrived completely, or a request was refused or cannot be parsed.
    private var isOver = false
    private var refusal: Refusal?
    /// Whether this handler has written the last answer. Any later answer belongs to a refused request.
    private var hasRefused = false
    private var closing: Scheduled<Void>?
    /// Whether the last request's body is incomplete. For the later handlers, an incomplete body ends like a
    /// complete one.
    private(set) var isBodyCutOff = false

    /// - Parameter isSecure: Whether the connection uses TLS.
    package init(isSecure: Bool, limits: ConnectionLimits) {
        (self.isSecure, self.limits) = (isSecure, limits)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { limits.opened(context.channel) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        limits.opened(context.channel)
        context.fireChannelActive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes):
            awaitsContinue = false
            context.fireChannelRead(wrapInboundOut(.body(bytes)))
        case .end(let trailers):
            (isReading, awaitsContinue) = (false, false)
            if isAnsweredEarly { isOver = true }
            if case .ends = unanswered.last?.persistence { isOver = true }
            limits.endCame()
            context.fireChannelRead(
                wrapInboundOut(.end(trailers.map { HTTPFields($0, splitCookie: false) })))
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let hasBody = head.method != .HEAD
        do throws(MessageRules.Fault) {
            let (persistence, awaitsContinue) = try MessageRules.read(head)
            var request: HTTPRequest
            do { request = try HTTPRequest(head, secure: isSecure, splitCookie: false) } catch {
                throw .notHTTP
            }
            unanswered.append(Request(persistence: persistence, hasBody: hasBody))
            isReading = true
            self.awaitsContinue = awaitsContinue
            if case .ends = persistence { request.headerFields[.connection] = "close" }
            limits.headCame()
            context.fireChannelRead(wrapInboundOut(.head(request)))
        } catch {
            refuse(Refusal(fault: error, hasBody: hasBody), context)
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // `100 Continue` is sent only now, because it is not needed if the body arrived together with the
        // head.
        continueInTurn(context)
        context.fireChannelReadComplete()
    }

    /// Sends `100 Continue` (RFC 9110, 10.1.1) when all earlier requests are answered. It is not a final
    /// answer.
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
        (isReading, isBodyCutOff) = (false, true)
        // The answer has begun and has announced that the connection will be closed.
        guard !isAnsweredEarly, let broken = unanswered.popLast() else { return isOver = true }
        // The later handlers have received parts of this request. For them the request ends with the
        // connection, and any answer from them is not written. The error is not passed on, because a later
        // handler would answer the request again, or would close the connection before the client has read
        // this answer.
        refuse(Refusal(fault: .brokenBody, hasBody: broken.hasBody), context)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if isReading { isBodyCutOff = true }
        left()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { left() }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        limits.became(isRead: context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    // MARK: Answers

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if case .end = part { limits.wasAnswered() }
        guard !hasRefused else {
            promise?.succeed()
            return
        }
        switch part {
        case .head(let head): context.write(wrapOutboundOut(.head(announcing(head))), promise: promise)
        case .body(let bytes): context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end(let trailers):
            let end = wrapOutboundOut(.end(trailers.map { HTTPHeaders($0) }))
            let isEarly = isReading && unanswered.count == 1
            let request = unanswered.popFirst()
            isAnswering = false
            var isLast = isEarly
            if case .ends = request?.persistence { isLast = true }
            guard isLast else {
                context.write(end, promise: promise)
                refuseInTurn(context)
                return continueInTurn(context)
            }
            let written = promise ?? context.eventLoop.makePromise()
            if isEarly { closeOutput(context, after: written.futureResult) }
            closeSoon(context, after: written.futureResult)
            context.write(end, promise: written)
        }
    }

    /// - Returns: The head of the answer, with the connection header that it requires.
    private func announcing(_ answer: HTTPResponse) -> HTTPResponseHead {
        var head = HTTPResponseHead(answer)
        isAnswering = true
        if isReading, unanswered.count == 1 {
            // The client may send the body, omit the body, or send a broken body, so the next request cannot
            // be located reliably.
            (isAnsweredEarly, awaitsContinue) = (true, false)
            head.headers.replaceOrAdd(name: "connection", value: "close")
            return head
        }
        switch unanswered.first?.persistence {
        case .ends: head.headers.replaceOrAdd(name: "connection", value: "close")
        case .persistsByRequest where !head.headers.contains(name: "connection"):
            head.headers.add(name: "connection", value: "keep-alive")
        case .persists, .persistsByRequest, nil: break
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

    private func left() {
        limits.closed()
        // Otherwise the scheduled task would keep the connection's handlers and buffers in memory.
        closing?.cancel()
        closing = nil
    }
}

extension MessageRules.Fault {
    fileprivate static let notHTTP = Self(status: .badRequest, why: "the request is not valid HTTP/1.1")
    fileprivate static let brokenBody = Self(
        status: .badRequest,
        why: "the body is incomplete or violates the rules of its transfer coding")
}
