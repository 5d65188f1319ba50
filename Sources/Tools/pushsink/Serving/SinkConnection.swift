internal import CSinkShims
internal import Glibc

/// One accepted connection: TLS, the conversation over it, and the bytes that could not be written yet.
///
/// **States.** shaking hands → talking → lingering → over. Each state except talking has a deadline.
final class SinkConnection: ConversationHost {
    enum ServeResult { case waits, unfinished, over }

    let number: Int
    let descriptor: Int32

    private enum State {
        case shakingHands
        case talking(any Conversation)
        /// Our end of the connection is closed. Reading continues until the peer has closed its end.
        /// Otherwise a reset could destroy our last answers before the peer reads them.
        case lingering
        case over
    }
    private var state = State.shakingHands
    private unowned let reactor: Reactor
    let listener: Listener
    private let tls: OpaquePointer
    /// Bytes for which the socket had no room. While there are such bytes, nothing is read, so that a client
    /// that does not read its answers cannot send more requests.
    private var backlog: [UInt8] = []
    private var backlogSent = 0
    /// The number of bytes that are still to be sent one by one, and the bytes that wait until these bytes
    /// are sent.
    private var dripsLeft = 0
    private var dripping: [UInt8] = []
    private var isBroken = false
    /// Whether an alarm has rung since the last turn. The bytes that the alarm caused are sent before more
    /// bytes are read.
    private var hasRung = false
    private let isTurnedAway: Bool
    private var interest = (read: true, write: false)

    private enum Ticket {
        static let handshake: Int32 = -1
        static let linger: Int32 = -2
        static let drip: Int32 = -3
    }
    /// The maximum number of reads in a turn, of up to one TLS record each.
    private static let readsPerTurn = 32
    private static let betweenDrips = Instant.Span.milliseconds(1)

    init?(number: Int, descriptor: Int32, reactor: Reactor, listener: Listener) {
        guard let tls = push_sink_tls_make(listener.tls.context, descriptor) else { return nil }
        self.number = number
        self.descriptor = descriptor
        self.reactor = reactor
        self.listener = listener
        self.tls = tls
        isTurnedAway = listener.door?.turnsAway() ?? false
        reactor.setAlarm(Ticket.handshake, for: number, after: .seconds(10))
    }

    deinit { push_sink_tls_free(tls) }

    // MARK: ConversationHost

    var now: Instant { reactor.now }

    func setAlarm(_ ticket: Int32, after delay: Instant.Span) {
        reactor.setAlarm(ticket, for: number, after: delay)
    }

    func setAnswerAlarm(_ ticket: Int32, after delay: Instant.Span) {
        reactor.setAnswerAlarm(ticket, for: number, after: delay)
    }

    func drip(_ count: Int) { dripsLeft += count }

    // MARK: Turns

    /// Does the work that is possible without waiting.
    func turn() -> ServeResult {
        switch state {
        case .shakingHands: shakeHands()
        case .talking(let conversation): talk(conversation)
        case .lingering: linger()
        case .over: .over
        }
    }

    func alarm(_ ticket: Int32) {
        switch (state, ticket) {
        case (.shakingHands, Ticket.handshake):
            listener.counts.handshakeFailed("no handshake within 10 s")
            state = .over
        case (.lingering, Ticket.linger):
            state = .over
        case (.talking, Ticket.drip):
            sendDrop()
        case (.talking(let conversation), 0...):
            hasRung = true
            conversation.alarm(ticket, at: reactor.now)
        default: break
        }
    }

    /// Closes the descriptor and notifies the conversation, which ends the requests that wait for an answer.
    func end() {
        if case .talking(let conversation) = state { conversation.end() }
        state = .over
        close(descriptor)
    }

    private func shakeHands() -> ServeResult {
        // The client has sent its TLS hello, because this connection gets a turn only after data has arrived.
        if isTurnedAway {
            listener.counts.handshakeFailed("broken off by the sink")
            listener.counts.struck(.tls)
            return reset()
        }
        switch push_sink_tls_handshake(tls) {
        case 1:
            var uid = [CChar](repeating: 0, count: 256)
            let certificate: Caller.Certificate =
                switch push_sink_tls_certificate(tls, &uid, uid.count) {
                case 0: .none
                case 1: .valid(uid: uid.cText)
                default: .invalid
                }
            let caller = Caller(
                connection: number, certificate: certificate, choseHTTP2: push_sink_tls_speaks(tls, "h2"))
            let conversation = listener.converse(caller, self)
            state = .talking(conversation)
            return talk(conversation)
        case Int32(PUSH_SINK_WANTS_READ):
            return wait(read: true, write: false)
        case Int32(PUSH_SINK_WANTS_WRITE):
            return wait(read: false, write: true)
        default:
            var reason = [CChar](repeating: 0, count: 200)
            push_sink_tls_reason(tls, &reason, reason.count)
            listener.counts.handshakeFailed(reason.cText)
            return .over
        }
    }

    private func talk(_ conversation: any Conversation) -> ServeResult {
        // An alarm caused the reset, and a client that does not read its answers must not delay it.
        if conversation.disposition == .reset { return reset() }
        if isBroken { return .over }
        // Bytes from earlier turns are written first. A turn that has written must also read, because TLS may
        // have read bytes ahead, for which no event occurs.
        guard flushBacklog() else { return .over }
        if hasRung {
            hasRung = false
            guard flush(conversation) else { return .over }
            reactor.answersLeft()
        }
        guard backlog.isEmpty else { return wait(read: false, write: true) }
        let reading = read(into: conversation)
        if conversation.disposition == .reset { return reset() }
        guard flush(conversation), reading != .ended else { return .over }
        if !backlog.isEmpty { return wait(read: false, write: true) }
        switch conversation.disposition {
        case .reset: return reset()
        case .closes: return closeOrderly(conversation)
        case .continues:
            _ = wait(read: true, write: false)
            return reading == .unfinished ? .unfinished : .waits
        }
    }

    private enum Reading { case exhausted, unfinished, ended }

    private func read(into conversation: any Conversation) -> Reading {
        for turn in 0..<Self.readsPerTurn {
            // Due alarms come first, because the process may have waited for a processor during the read, and
            // delays count from before the read.
            if reactor.isLate(), turn > 0 { return .unfinished }
            let count = push_sink_tls_read(tls, reactor.inward.baseAddress!, Int32(reactor.inward.count))
            switch count {
            case 1...:
                conversation.receive(Bytes(rebasing: reactor.inward[..<Int(count)]))
                guard conversation.disposition == .continues else { return .exhausted }
            case Int32(PUSH_SINK_WANTS_READ), Int32(PUSH_SINK_WANTS_WRITE): return .exhausted
            default: return .ended
            }
        }
        return .unfinished
    }

    private func reset() -> ServeResult {
        push_sink_arm_reset(descriptor)
        return .over
    }

    private func closeOrderly(_ conversation: any Conversation) -> ServeResult {
        conversation.end()
        push_sink_tls_shutdown(tls)
        shutdown(descriptor, Int32(SHUT_WR))
        state = .lingering
        reactor.setAlarm(Ticket.linger, for: number, after: .seconds(1))
        _ = wait(read: true, write: false)
        return linger()
    }

    private func linger() -> ServeResult {
        // The number of reads is limited, because a client that writes continuously could otherwise occupy
        // the thread.
        for _ in 0..<Self.readsPerTurn {
            let count = recv(descriptor, reactor.inward.baseAddress!, reactor.inward.count, 0)
            if count > 0 { continue }
            return count < 0 && (errno == EAGAIN || errno == EINTR) ? .waits : .over
        }
        return .unfinished
    }

    private func wait(read: Bool, write: Bool) -> ServeResult {
        if interest != (read, write) {
            interest = (read, write)
            reactor.watch(self, read: read, write: write)
        }
        return .waits
    }

    // MARK: Writing

    /// Writes the backlog. Returns `false` if the connection is lost.
    private func flushBacklog() -> Bool {
        guard !backlog.isEmpty else { return true }
        let sent = backlog.withUnsafeBufferPointer { write(Bytes(rebasing: $0[backlogSent...])) }
        guard let sent else { return false }
        backlogSent += sent
        if backlogSent == backlog.count {
            backlog = []
            backlogSent = 0
        }
        return true
    }

    /// Writes the bytes of the conversation until the socket is full. Returns false if the connection is
    /// lost.
    private func flush(_ conversation: any Conversation) -> Bool {
        while true {
            if dripsLeft > 0 {
                fillDrips(from: conversation)
                guard conversation.disposition != .continues else { return true }
                // A connection that is about to end sends the remaining bytes together, not one by one.
                backlog = dripping
                dripping = []
                dripsLeft = 0
                guard flushBacklog() else { return false }
                guard backlog.isEmpty else { return true }
            }
            let count = conversation.fill(reactor.outward)
            guard count > 0 else { return true }
            let bytes = Bytes(rebasing: reactor.outward[..<count])
            guard let sent = write(bytes) else { return false }
            if sent < count {
                backlog = Array(bytes[sent...])
                return true
            }
        }
    }

    private func fillDrips(from conversation: any Conversation) {
        guard dripping.isEmpty else { return }
        let count = conversation.fill(reactor.outward)
        guard count > 0 else { return }
        dripping = Array(reactor.outward[..<count])
        reactor.setAlarm(Ticket.drip, for: number, after: Self.betweenDrips)
    }

    private func sendDrop() {
        guard dripsLeft > 0, !dripping.isEmpty else { return }
        let sent = dripping.withUnsafeBufferPointer { write(Bytes(rebasing: $0[..<1])) }
        guard let sent else {
            isBroken = true
            return
        }
        dripping.removeFirst(sent)
        dripsLeft -= sent
        if dripsLeft == 0 {
            backlog = dripping
            dripping = []
        } else if !dripping.isEmpty {
            reactor.setAlarm(Ticket.drip, for: number, after: Self.betweenDrips)
        }
    }

    /// Writes bytes, and returns the number of bytes that the socket accepted; `nil` if the connection is
    /// lost.
    private func write(_ bytes: Bytes) -> Int? {
        var sent = 0
        while sent < bytes.count {
            let count = push_sink_tls_write(tls, bytes.baseAddress! + sent, Int32(bytes.count - sent))
            switch count {
            case 1...: sent += Int(count)
            case Int32(PUSH_SINK_WANTS_READ), Int32(PUSH_SINK_WANTS_WRITE): return sent
            default: return nil
            }
        }
        return sent
    }
}
