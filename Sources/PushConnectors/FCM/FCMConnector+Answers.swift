internal import PushModel
internal import PushSystem
internal import PushTransport
internal import PushWire

/// What comes back: answers, endings without one, connections that go.
extension FCMConnector: HTTP2Delegate {
    private func line(of connection: HTTP2Connection) -> HTTP2Line? {
        lines.first { $0.connection === connection }
    }

    private func left() {
        inFlight -= 1
        if inFlight == 0 { isSettling = false }
    }

    func connectionOpened(_ connection: HTTP2Connection) {
        line(of: connection)?.isOpen = true
        events.connected(account, to: endpoint.description)
    }

    func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer) {
        left()
        let line = line(of: connection)
        line?.answeredInTime()
        // The answer's buffers hold until this method returns; what is kept of them is copied.
        if !keepsMessageIDs, answer.status == 200, unsafe FCMReply.isPlainYes(answer.body) {
            return events.accepted(tag: answer.tag)
        }
        let retryAfter = unsafe answer.headers[0].map { unsafe String(printable: $0, atMost: 100) }
        let reply = FCMReply(
            status: answer.status, body: unsafe Array(answer.body), retryAfter: retryAfter, now: Clocks.wall())
        if case .accepted = reply.outcome, !keepsMessageIDs {
            events.accepted(tag: answer.tag)
        } else {
            events.ended(tag: answer.tag, reply.outcome)
        }
        if answer.status >= 500 || answer.status == 429 && reply.quota != .device { line?.slowDown(at: now) }
        if let seconds = reply.retryAfterSeconds, reply.quota != .device, answer.status == 429 || answer.status >= 500 {
            // Google denies service to who goes on after such an answer; one device's quota is no reason to.
            events.busy(account, seconds: seconds, reason: "Retry-After \(seconds) s with status \(answer.status)")
        } else if reply.quota == .project, case .rejected(let verdict, let reason) = reply.outcome {
            // The project's quota is everybody's: none of its messages will fare better before the minimum is over.
            events.busy(account, seconds: verdict.minimumDelaySeconds, reason: reason)
        }
        if reply.wantsNewToken {
            renew()
        } else if case .rejected(let verdict, let reason) = reply.outcome, verdict.scope == .account {
            events.refused(account, verdict, reason: reason)
        }
    }

    /// The token is done for. Those in flight with it will be told the same: one renewal serves them all.
    func renew() {
        guard !isSettling, tokens.isUsable else { return }
        tokens.discard()
        isSettling = inFlight > 0
        tokens.renewIfDue()
    }

    private var now: MonotonicTime { MonotonicTime(nanoseconds: loop.now) }

    func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Ending) {
        left()
        if case .undecided(.timedOut) = ending { line(of: connection)?.slowDown(at: now) }
        events.ended(tag: tag, Self.outcome(of: ending))
    }

    private static func outcome(of ending: HTTP2Ending) -> Outcome {
        switch ending {
        case .neverSent(.connectionClosed(let cause)): FCMReply.outcome(of: .connectFailed, detail: cause.label)
        case .neverSent(.goneAway), .neverSent(.refused): FCMReply.outcome(of: .connectFailed, detail: "refused unread")
        case .neverSent(.timedOut): FCMReply.outcome(of: .connectFailed, detail: "timed out")
        case .undecided(.timedOut): FCMReply.outcome(of: .noAnswer, detail: Outcome.noAnswerInTime)
        case .undecided(.streamReset(let code)): FCMReply.outcome(of: .noAnswer, detail: "stream reset, code \(code)")
        case .undecided(.connectionLost(let cause)): FCMReply.outcome(of: .noAnswer, detail: cause.label)
        }
    }

    func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer
    ) {
        // Google's front ends let every connection go after about an hour; the next message opens another.
    }

    /// A connection that served is replaced when messages wait; one that never did, or that is given up as hostile, is the
    /// gateway's trouble.
    func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause) {
        guard let line = line(of: connection), !line.hasAnswered else { return }
        line.isTold = true
        tellUnreachable(cause)
    }

    func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause) {
        guard let index = lines.firstIndex(where: { $0.connection === connection }) else { return }
        let line = lines.remove(at: index)
        if cause == .local || line.isTold { return }
        if cause == .tooManyOpenFiles, events.makeRoom(for: account) { return }
        if cause.isCertificateTrouble {
            events.refused(account, .connectionIsOurFault, reason: "\(cause)")
        } else if line.hasAnswered, !cause.isAbuse {
            events.disconnected(account, because: "\(cause)")
        } else {
            tellUnreachable(cause)
        }
    }

    private func tellUnreachable(_ cause: CloseCause) {
        guard case .neverSent(let verdict, let reason) = FCMReply.outcome(of: .connectFailed, detail: "\(cause)") else {
            return
        }
        events.unreachable(account, verdict, reason: reason)
    }
}
