internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import PushModel
internal import PushSystem

/// A handler that answers requests for a ``DirectRoute`` before Hummingbird sees them, and passes all other
/// requests on.
///
/// **Promises.** Answers are sent in the order of the requests. This handler answers a request only if the
/// router has answered all earlier requests. While this handler is answering a request, everything that
/// follows on the connection is held back. An orderly end of the connection (the client's last byte, or the
/// server's shutdown) is also held back, so that the answer is sent first. While the client is not reading
/// its answers, the handler does not begin to answer another request. **Neighbours.** ``MessageGuard``, the
/// handler before this one, passes nothing on after the last request, and sees the answers of both this
/// handler and the router.
final class DirectAnswers: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The maximum number of items that are held back after a request that is being answered. Beyond this
    /// number, nothing more is read.
    private static let maxHeld = 64

    private struct Reading {
        var head: HTTPRequest
        var body: ByteBuffer
        let route: any DirectRoute
        let name: String
    }
    private struct Answering {
        let name: String
        let began: Int64
    }
    private enum Held {
        case part(HTTPRequestPart)
        case event(Any)
        case error(any Error)
    }

    private let routes: [any DirectRoute]
    private let gate: RequestGate
    private var context: ChannelHandlerContext?
    private var peer: IPAddress?
    /// The number of requests that the router has received and not yet answered.
    private var routed = 0
    private var reading: Reading?
    private var answering: Answering?
    private var held = CircularBuffer<Held>()
    private var holdsRead = false
    /// The server's shutdown event, which is held back until the request that is being read is answered or
    /// passed on.
    private var heldEnd: Any?
    private var isReleasing = false

    init(_ routes: [any DirectRoute], _ gate: RequestGate) {
        self.routes = routes
        self.gate = gate
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        peer = IPAddress(context.channel.remoteAddress)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        forget()
    }

    private func forget() { (reading, answering, held, heldEnd) = (nil, nil, CircularBuffer(), nil) }

    // MARK: Inbound

    /// Returns whether input must be held back. This is the case while this handler is answering a request,
    /// or while the client is not reading this handler's answers. The router delays its own answers.
    private func mustHold(_ context: ChannelHandlerContext) -> Bool {
        answering != nil || routed == 0 && !context.channel.isWritable
    }

    /// - Returns: Whether the item was held back. If so, it is queued after the items that were held back
    ///   earlier.
    private func hold(_ next: Held, _ context: ChannelHandlerContext) -> Bool {
        guard !held.isEmpty || mustHold(context) else { return false }
        held.append(next)
        return true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if !hold(.part(part), context) { take(part, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !hold(.event(event), context) { pass(event, context) }
    }

    private func pass(_ event: Any, _ context: ChannelHandlerContext) {
        if reading != nil, event is ChannelShouldQuiesceEvent {
            heldEnd = event
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !hold(.error(error), context) { context.fireErrorCaught(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        forget()
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        release(context)
        context.fireChannelWritabilityChanged()
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            guard routed == 0, let (route, name) = route(of: head) else {
                routed += 1
                return context.fireChannelRead(wrapInboundOut(part))
            }
            reading = Reading(head: head, body: ByteBuffer(), route: route, name: name)
        case .body(var bytes):
            guard reading != nil else { return context.fireChannelRead(wrapInboundOut(part)) }
            reading?.body.writeBuffer(&bytes)
        case .end:
            guard let reading else { return context.fireChannelRead(wrapInboundOut(part)) }
            self.reading = nil
            if !begin(reading, context) { pass(reading, end: part, context) }
        }
    }

    private func route(of head: HTTPRequest) -> (any DirectRoute, String)? {
        for route in routes {
            guard let name = route.name(of: head) else { continue }
            return head.isPlain(maxBodyBytes: route.maxBodyBytes) ? (route, name) : nil
        }
        return nil
    }

    private func pass(_ reading: Reading, end: HTTPRequestPart, _ context: ChannelHandlerContext) {
        routed += 1
        context.fireChannelRead(wrapInboundOut(.head(reading.head)))
        if reading.body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(reading.body))) }
        context.fireChannelRead(wrapInboundOut(end))
        guard let heldEnd else { return }
        self.heldEnd = nil
        context.fireUserInboundEventTriggered(heldEnd)
    }

    // MARK: Answers

    private func begin(_ reading: Reading, _ context: ChannelHandlerContext) -> Bool {
        let now = Clocks.monotonicNanoseconds()
        guard gate.mayAsk(peer, reading.head.headerFields, now: now) else { return false }
        let question = Answering(name: reading.name, began: now)
        answering = question
        let loop = context.eventLoop
        let this = NIOLoopBound(self, eventLoop: loop)
        let hasBegun = reading.route.begin(DirectRequest(head: reading.head, body: reading.body)) { answer in
            if loop.inEventLoop {
                this.value.finish(question, answer)
            } else {
                loop.execute { this.value.finish(question, answer) }
            }
        }
        if !hasBegun {
            answering = nil
            // The router will count the request again.
            gate.giveBack(peer, reading.head.headerFields)
        }
        return hasBegun
    }

    private func finish(_ question: Answering, _ answer: WebAnswer) {
        gate.counts.note(
            route: question.name, status: answer.status.code,
            nanoseconds: Clocks.monotonicNanoseconds() - question.began)
        guard let context, answering != nil else { return }
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        if !answer.bytes.isEmpty {
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: answer.bytes))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        answering = nil
        if let event = heldEnd {
            heldEnd = nil
            held.prepend(.event(event))
        }
        release(context)
    }

    /// Processes the items that were held back, up to the next request that this handler answers.
    private func release(_ context: ChannelHandlerContext) {
        guard !isReleasing, !held.isEmpty || holdsRead else { return }
        isReleasing = true
        defer { isReleasing = false }
        while !mustHold(context), let next = held.popFirst() {
            switch next {
            case .part(let part): take(part, context)
            case .event(let event): pass(event, context)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
        guard held.isEmpty, !mustHold(context) else { return }
        context.fireChannelReadComplete()
        guard holdsRead else { return }
        holdsRead = false
        context.read()
    }

    // MARK: Outbound

    func read(context: ChannelHandlerContext) {
        let holds = mustHold(context) && (answering == nil || held.count >= Self.maxHeld)
        if holds { holdsRead = true } else { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { routed -= 1 }
        context.write(data, promise: promise)
    }
}
