internal import CPushShims
internal import PushModel

// What the peer's bytes mean, and the one ending of each request.
extension HTTP2Connection: TLSStreamDelegate {
    package func streamOpened(_ stream: TLSStream) {
        let result = push_h2_greet(h2, Self.streamWindow, Self.connectionWindow)
        guard result == 0 else { return stream.close(because: .protocolError(Self.text(Int(result)))) }
        _ = keepalive.heard(at: loop.now)
        flush()
    }

    /// Answers are tiny; windows are wide so that they never wait.
    private static let streamWindow: UInt32 = 1 << 20
    private static let connectionWindow: UInt32 = 16 << 20
    /// After so many reads others get their turn.
    private static let readsATurn = 64

    package func streamReadable(_ stream: TLSStream) {
        var reads = 0
        while !isGivenUp {
            let count = stream.receive(into: loop.receiveBuffer)
            guard count > 0 else { break }
            if keepalive.heard(at: loop.now) { loop.remind(at: keepalive.next) }
            let result = push_h2_feed(
                h2, loop.receiveBuffer.baseAddress!.assumingMemoryBound(to: UInt8.self), count)
            handleEvents()
            guard result == 0 else { return giveUp(stream, result) }
            guard isWithinAllowance(received: count) else { return giveUpAsHostile(stream) }
            reads += 1
            if reads == Self.readsATurn {
                stream.leaveUnread()
                break
            }
        }
        flush()
        handleEvents()  // frames that could not be made close their streams
        // Frames that make no sense, nghttp2 answers with a GOAWAY of its own accord, and hears no more.
        if nghttp2_session_want_read(h2.pointee.session) == 0,
            h2.pointee.goaway_sent != NGHTTP2_NO_ERROR.rawValue
        {
            let code = String(cString: nghttp2_http2_strerror(h2.pointee.goaway_sent))
            return stream.close(because: .protocolError(code))
        }
        finishWhenDone()
    }

    package func streamWritable(_ stream: TLSStream) {
        flush()
        handleEvents()
        finishWhenDone()
    }

    package func streamClosed(_ stream: TLSStream, cause: CloseCause) {
        handleEvents()
        let cause = explain(cause)
        state = .closed(cause)
        allowance.stopAccepting()
        let handedOver = stream.handedOver
        for index in 0..<push_h2_slots_made(h2) {
            let slot = push_h2_slot_at(h2, index)
            guard slot.pointee.in_use else { continue }
            if !slot.pointee.ended {
                let left = slot.pointee.first_byte < handedOver
                end(slot, left ? .undecided(.connectionLost(cause)) : .neverSent(.connectionClosed(cause)))
            }
            push_h2_free_slot(h2, slot)
        }
        forgetStream()
        let delegate = self.delegate
        self.delegate = nil
        delegate?.connectionClosed(self, cause: cause)
    }

    /// After a GOAWAY its reason explains more than that the peer closed.
    private func explain(_ cause: CloseCause) -> CloseCause {
        switch cause {
        case .peerClosed, .inputOutput, .local: farewell ?? cause
        default: cause
        }
    }

    // MARK: Events

    /// Tells what the last feed brought. The delegate may submit, drain and close meanwhile.
    func handleEvents() {
        var next = 0
        while next < Int(h2.pointee.event_count) {
            let event = h2.pointee.events[next]
            next += 1
            switch event.kind {
            case PUSH_H2_STREAM_CLOSED.rawValue: streamEnded(event)
            case PUSH_H2_GOAWAY.rawValue: goingAway(event)
            case PUSH_H2_SETTINGS.rawValue: settingsArrived()
            default: break  // a PONG is a sign of life, as any byte
            }
        }
        h2.pointee.event_count = 0
    }

    private func streamEnded(_ event: push_h2_event) {
        let slot = push_h2_slot_at(h2, event.slot)
        guard slot.pointee.in_use, Int64(slot.pointee.stream_id) == event.value else { return }
        if !slot.pointee.ended { endedByPeer += 1 }
        let id = slot.pointee.stream_id
        push_h2_free_slot(h2, slot)
        guard !slot.pointee.ended else { return }
        if slot.pointee.status != 0 {
            end(slot, .undecided(.streamReset(code: event.code)))
        } else if id > lastAdmitted || slot.pointee.first_byte == .max {
            end(slot, .neverSent(.goneAway))
        } else if event.code == NGHTTP2_REFUSED_STREAM.rawValue {
            end(slot, .neverSent(.refused))
        } else {
            end(slot, .undecided(.streamReset(code: event.code)))
        }
    }

    /// The one place where a request ends. A status that has arrived is an answer, whatever came after it.
    func end(_ slot: UnsafeMutablePointer<push_h2_slot>, _ ending: HTTP2Ending) {
        slot.pointee.ended = true
        deadlines.remove(Int(slot.pointee.index))
        due -= 1
        if due == 0 { keepalive.nothingDue() }
        guard slot.pointee.status != 0 else {
            delegate?.connection(self, ended: slot.pointee.tag, ending)
            return
        }
        lastAnswer = loop.now
        let kept = UnsafeRawBufferPointer(
            start: slot.pointee.response, count: Int(slot.pointee.kept_headers + slot.pointee.kept_body))
        let middle = Int(slot.pointee.kept_headers)
        delegate?.connection(
            self,
            answered: HTTP2Answer(
                tag: slot.pointee.tag, status: Int(slot.pointee.status),
                body: UnsafeRawBufferPointer(rebasing: kept[middle...]),
                headers: ResponseFields(kept: UnsafeRawBufferPointer(rebasing: kept[..<middle])),
                isComplete: slot.pointee.complete,
                nanoseconds: deadlines.age(of: Int(slot.pointee.index), at: loop.now)))
    }

    private func goingAway(_ event: push_h2_event) {
        lastAdmitted = min(lastAdmitted, Int32(clamping: event.value))
        withUnsafeBytes(of: &h2.pointee.goaway_debug) { room in
            let debug = UnsafeRawBufferPointer(rebasing: room[..<Int(h2.pointee.goaway_debug_length)])
            farewell = .goneAway(code: event.code, debug: String(printable: debug))
            becomeOpen()
            startDraining()
            delegate?.connection(
                self, goingAway: event.code, lastStreamID: Int32(clamping: event.value), debugData: debug)
        }
    }

    private func settingsArrived() {
        let before = freeStreams
        let allowed = nghttp2_session_get_remote_settings(
            h2.pointee.session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        allowance.settings(maximumStreams: allowed)
        if freeStreams > 0 { starvedSince = nil }
        if state == .connecting {
            becomeOpen()
            delegate?.connectionOpened(self)
        } else if freeStreams > before {
            delegate?.connectionGotRoom(self)
        }
    }

    private func becomeOpen() {
        guard state == .connecting else { return }
        state = .open
        lastAnswer = loop.now
        loop.remind(at: keepalive.next)
    }

    // MARK: Deadlines

    package func streamDeadline(_ stream: TLSStream, now: Int64) -> Int64 {
        if state == .connecting {
            guard now >= greetingDeadline else { return greetingDeadline }
            stream.close(because: .connectTimeout("no HTTP/2 SETTINGS from \(endpoint)"))
            return .max
        }
        expireRequests(at: now)
        if let starvationEnd, now >= starvationEnd {
            stream.close(because: .noStreams)
            return .max
        }
        if case .draining(let deadline) = state, now >= deadline {
            stream.close(because: farewell ?? .local)
            return .max
        }
        switch keepalive.check(at: now) {
        case .nothing: break
        case .giveUp:
            stream.close(because: .silent)
            return .max
        case .ping: nghttp2_submit_ping(h2.pointee.session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
        }
        flush()
        handleEvents()
        finishWhenDone()
        var next = min(deadlines.next, keepalive.next)
        if case .draining(let deadline) = state { next = min(next, deadline) }
        return min(next, starvationEnd ?? .max)
    }

    private var starvationEnd: Int64? {
        guard state == .open, let starvedSince else { return nil }
        return starvedSince &+ configuration.connectTimeout.nanoseconds
    }

    /// A request that is late is given up: its stream is cancelled, and its slot is free once nghttp2 lets go
    /// of it.
    ///
    /// Where the peer answered nothing at all meanwhile, more requests would fare no better: the connection
    /// takes none. That it answers PINGs says only that something in front of the gateway lives.
    private func expireRequests(at now: Int64) {
        let timeout = configuration.requestTimeout.nanoseconds
        if state == .open, deadlines.next <= now, now &- lastAnswer >= timeout {
            let cause = CloseCause.unanswered(seconds: timeout / 1_000_000_000)
            farewell = cause
            startDraining()
            delegate?.connection(self, givenUp: cause)
        }
        while let index = deadlines.takeExpired(at: now) {
            let slot = push_h2_slot_at(h2, UInt32(index))
            nghttp2_submit_rst_stream(
                h2.pointee.session, UInt8(NGHTTP2_FLAG_NONE.rawValue), slot.pointee.stream_id,
                NGHTTP2_CANCEL.rawValue)
            // What is framed will leave ahead of its RST_STREAM; what is not, the RST_STREAM has taken back.
            end(slot, slot.pointee.first_byte == .max ? .neverSent(.timedOut) : .undecided(.timedOut))
        }
    }

    func finishWhenDone() {
        // Stream ids are used up: like a GOAWAY of our own, and the owner learns that it needs another
        // connection.
        if state == .open, allowance.isExhausted {
            startDraining()
            delegate?.connection(
                self, goingAway: NGHTTP2_NO_ERROR.rawValue, lastStreamID: .max,
                debugData: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        if case .draining = state, due == 0 { sayGoodbye() }
    }
}
