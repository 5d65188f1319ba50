internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import PushModel
internal import PushSystem

/// Answers requests of ``DirectRoute`` before Hummingbird sees them, and lets all others pass.
///
/// **Promises.** Answers have the order of requests: one is answered here only where none before it is still with
/// the router, and while it is, whatever follows on the connection is held. What ends the connection in order (the
/// client's last byte, the server's end) is held likewise, so that the answer goes out first.
/// **Neighbours.** ``ConnectionLimits`` stands before it, and sees both kinds.
final class DirectAnswers: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Of those that follow a request that is being answered; then no more is read.
    private static let mostHeld = 64

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
    /// Requests that the router has and has not answered.
    private var routed = 0
    private var reading: Reading?
    private var answering: Answering?
    private var held: [Held] = []
    private var holdsRead = false
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
        (reading, answering, held) = (nil, nil, [])
    }

    // MARK: What comes in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard answering == nil else { return held.append(.part(part)) }
        take(part, context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard answering == nil else { return held.append(.event(event)) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard answering == nil else { return held.append(.error(error)) }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        (reading, answering, held) = (nil, nil, [])
        context.fireChannelInactive()
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
            return head.isPlain(mostBodyBytes: route.mostBodyBytes) ? (route, name) : nil
        }
        return nil
    }

    private func pass(_ reading: Reading, end: HTTPRequestPart, _ context: ChannelHandlerContext) {
        routed += 1
        context.fireChannelRead(wrapInboundOut(.head(reading.head)))
        if reading.body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(reading.body))) }
        context.fireChannelRead(wrapInboundOut(end))
    }

    // MARK: Answers

    private func begin(_ reading: Reading, _ context: ChannelHandlerContext) -> Bool {
        let now = Clocks.monotonicNanoseconds()
        guard gate.mayAsk(peer, reading.head.headerFields, now: now) else { return false }
        answering = Answering(name: reading.name, began: now)
        let loop = context.eventLoop
        let this = NIOLoopBound(self, eventLoop: loop)
        let hasBegun = reading.route.begin(DirectRequest(head: reading.head, body: reading.body)) { answer in
            if loop.inEventLoop {
                this.value.finish(answer)
            } else {
                loop.execute { this.value.finish(answer) }
            }
        }
        if !hasBegun { answering = nil }
        return hasBegun
    }

    private func finish(_ answer: WebAnswer) {
        guard let context, let answered = answering else { return }
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        if !answer.bytes.isEmpty {
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: answer.bytes))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        gate.counts.note(
            route: answered.name, status: answer.status.code,
            nanoseconds: Clocks.monotonicNanoseconds() - answered.began)
        answering = nil
        release(context)
    }

    /// What came meanwhile, up to the next request that is answered here.
    private func release(_ context: ChannelHandlerContext) {
        guard !isReleasing, !held.isEmpty || holdsRead else { return }
        isReleasing = true
        defer { isReleasing = false }
        var waiting = held[...]
        held = []
        while answering == nil, let next = waiting.popFirst() {
            switch next {
            case .part(let part): take(part, context)
            case .event(let event): context.fireUserInboundEventTriggered(event)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
        held = Array(waiting)
        guard answering == nil else { return }
        context.fireChannelReadComplete()
        guard holdsRead else { return }
        holdsRead = false
        context.read()
    }

    // MARK: What goes out

    func read(context: ChannelHandlerContext) {
        if answering != nil, held.count >= Self.mostHeld { holdsRead = true } else { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { routed -= 1 }
        context.write(data, promise: promise)
    }
}
