internal import PushModel

// The interpretation of the peer's bytes, and the single ending of each request.
extension HTTP2Connection: TLSStreamDelegate {
    package func streamOpened(_ stream: TLSStream) {
        _ = keepalive.received(at: now)
        flush()
    }

    /// The number of reads after which other users of the loop get their turn.
    private static let readsATurn = 64

    package func streamReadable(_ stream: TLSStream) {
        var reads = 0
        while !isGivenUp {
            let count = stream.receive(into: loop.receiveBuffer)
            guard count > 0 else { break }
            if keepalive.received(at: now) { loop.remind(at: keepalive.next) }
            let bytes = UnsafeRawBufferPointer(rebasing: loop.receiveBuffer[..<count])
            let failure = session.receive(bytes.bindMemory(to: UInt8.self).span)
            handleEvents()
            if let failure { return giveUp(stream, failure) }
            if let excess = excess(received: count) { return giveUp(stream, excess) }
            reads += 1
            if reads == Self.readsATurn {
                stream.leaveUnread()
                break
            }
        }
        flush()
        finishWhenDone()
    }

    package func streamWritable(_ stream: TLSStream) {
        flush()
        finishWhenDone()
    }

    package func streamClosed(_ stream: TLSStream, cause: CloseCause) {
        handleEvents()
        let cause = explain(cause)
        state = .closed(cause)
        allowance.stopAccepting()
        let handedOver = stream.handedOver
        for slot in 0..<session.slotCount where session.isTaken(slot) {
            let left = session[slot].firstByte < handedOver
            session.cancel(slot)
            end(
                slot, left ? .undecided(.connectionLost(cause)) : .neverSent(.connectionClosed(cause)),
                for: delegate)
        }
        forgetStream()
        let delegate = self.delegate
        self.delegate = nil
        delegate?.connectionClosed(self, cause: cause)
    }

    /// If a GOAWAY preceded the close, returns the reason in the GOAWAY, because it explains more than the
    /// close itself.
    private func explain(_ cause: CloseCause) -> CloseCause {
        switch cause {
        case .peerClosed, .inputOutput, .local: farewell ?? cause
        default: cause
        }
    }

    // MARK: Events

    /// Reports the events that the last received bytes caused. While they are being reported, the delegate
    /// may submit requests, and may drain and close the connection.
    func handleEvents() {
        // The delegate is read only once, because each access would count a reference.
        let delegate = self.delegate
        var next = 0
        while next < session.eventCount {
            switch session.event(next) {
            case .ended(let slot, let code): streamEnded(slot, code, for: delegate)
            case .goingAway(let code, let last, let debug):
                goingAway(code, last: last, debug: session.goAwayDebug[debug])
            case .settings: settingsArrived()
            }
            next += 1
        }
        session.clearEvents()
    }

    private func streamEnded(_ slot: Int, _ code: UInt32, for delegate: (any HTTP2Delegate)?) {
        endedByPeer += 1
        let (stream, firstByte) = (session[slot].stream, session[slot].firstByte)
        session.release(slot)
        if session[slot].status != 0 {
            end(slot, .undecided(.streamReset(code: code)), for: delegate)
        } else if stream > session.lastAdmitted || firstByte == .max {
            end(slot, .neverSent(.goneAway), for: delegate)
        } else if code == HTTP2ErrorCode.refusedStream.rawValue {
            end(slot, .neverSent(.refused), for: delegate)
        } else {
            end(slot, .undecided(.streamReset(code: code)), for: delegate)
        }
    }

    /// Ends a request; all endings use this method. A received status counts as an answer, regardless of what
    /// followed the status.
    private func end(_ slot: Int, _ ending: HTTP2Outcome, for delegate: (any HTTP2Delegate)?) {
        deadlines.remove(slot)
        due -= 1
        if due == 0 { keepalive.nothingDue() }
        let tag = session[slot].tag
        guard session[slot].status != 0 else {
            delegate?.connection(self, ended: tag, ending)
            return
        }
        lastAnswer = now
        let kept = session.answer(in: slot)
        delegate?.connection(
            self,
            answered: HTTP2Answer(
                tag: tag, status: session[slot].status, body: kept.body,
                headers: ResponseFields(kept: kept.headers), isComplete: session[slot].isComplete,
                nanoseconds: deadlines.age(of: slot, at: now)))
    }

    private func goingAway(_ code: UInt32, last: Int32, debug: [UInt8]) {
        farewell = .goneAway(code: code, debug: String(printable: debug))
        becomeOpen()
        startDraining()
        debug.withUnsafeBytes {
            delegate?.connection(self, goingAway: code, lastStreamID: last, debugData: $0)
        }
    }

    private func settingsArrived() {
        let before = freeStreams
        allowance.settings(maximumStreams: session.peerMaxStreams)
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
        lastAnswer = now
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
        case .ping: session.ping()
        }
        flush()
        finishWhenDone()
        var next = min(deadlines.next, keepalive.next)
        if case .draining(let deadline) = state { next = min(next, deadline) }
        return min(next, starvationEnd ?? .max)
    }

    private var starvationEnd: Int64? {
        guard state == .open, let starvedSince else { return nil }
        return starvedSince &+ configuration.connectTimeout.nanoseconds
    }

    /// Gives up late requests: cancels their streams and frees their slots.
    ///
    /// If the peer answered no request at all in the meantime, further requests would not succeed either, so
    /// the connection accepts no further requests. Answers to PINGs only prove that something in front of the
    /// gateway is alive.
    private func expireRequests(at now: Int64) {
        let timeout = configuration.requestTimeout.nanoseconds
        if state == .open, deadlines.next <= now, now &- lastAnswer >= timeout {
            let cause = CloseCause.unanswered(seconds: timeout / 1_000_000_000)
            farewell = cause
            startDraining()
            delegate?.connection(self, givenUp: cause)
        }
        while let slot = deadlines.takeExpired(at: now) {
            // A framed request is sent before its RST_STREAM; a request that is not framed will never be
            // sent.
            let isFramed = session[slot].firstByte != .max
            session.cancel(slot)
            end(slot, isFramed ? .undecided(.timedOut) : .neverSent(.timedOut), for: delegate)
        }
    }

    func finishWhenDone() {
        // When stream ids are used up, this is reported in the same way as a GOAWAY, so that the owner knows
        // that it needs another connection.
        if state == .open, allowance.isExhausted {
            startDraining()
            delegate?.connection(
                self, goingAway: HTTP2ErrorCode.noError.rawValue, lastStreamID: .max,
                debugData: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        if case .draining = state, due == 0 { closeOrderly() }
    }
}
