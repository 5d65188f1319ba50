internal import GatewayKit
internal import PushModel
internal import PushSystem
internal import PushTransport
internal import PushWire

/// Handles answers, requests that end without an answer, and connections that cannot be opened. (Google's
/// front ends close every connection after about an hour; the next message opens another connection.)
extension FCMConnector: HTTP2PoolDelegate {
    private func left() {
        inFlight -= 1
        if inFlight == 0 { isSettling = false }
    }

    func answered(_ answer: HTTP2Answer, on line: PooledConnection) {
        left()
        line.answeredInTime()
        // The answer's buffers are valid until this method returns; the parts that are kept are copied.
        if !keepsMessageIDs, answer.status == 200, unsafe FCMReply.isPlainYes(answer.body) {
            return events.accepted(tag: answer.tag)
        }
        let retryAfter = unsafe answer.headers[0].map { unsafe String(printable: $0, atMost: 100) }
        let challenge = unsafe answer.headers[1].map { unsafe String(printable: $0, atMost: 300) }
        let reply = FCMReply(
            status: answer.status, body: unsafe Array(answer.body), retryAfter: retryAfter,
            challenge: challenge, now: Clocks.wall())
        pauseIfAsked(answer, reply)
        if case .accepted = reply.outcome, !keepsMessageIDs {
            events.accepted(tag: answer.tag)
        } else {
            events.ended(tag: answer.tag, reply.outcome)
        }
        if answer.status >= 500 || answer.status == 429 && reply.quota != .device {
            line.slowDown(at: MonotonicTime(nanoseconds: loop.now))
        }
        if reply.wantsNewToken {
            renew()
        } else if case .rejected(let verdict, let reason) = reply.outcome, verdict.scope == .account {
            events.refused(account, verdict, reason: reason)
        }
    }

    /// Pauses the account if the answer names the project's quota or contains `Retry-After`, because Google
    /// denies service to clients that continue to send. An answer about the quota of a single device does not
    /// pause the account.
    private func pauseIfAsked(_ answer: HTTP2Answer, _ reply: FCMReply) {
        guard reply.quota != .device, answer.status == 429 || answer.status >= 500 else { return }
        if reply.quota == .project, case .rejected(let verdict, let reason) = reply.outcome {
            // The answer names the project's quota, which all messages of the project share.
            events.busy(account, seconds: verdict.minimumDelaySeconds, reason: reason, tag: nil)
        } else if let seconds = reply.retryAfterSeconds {
            events.busy(
                account, seconds: seconds, reason: "Retry-After \(seconds) s with status \(answer.status)",
                tag: answer.tag)
        }
    }

    /// Replaces a token that no longer works. The requests in flight with this token will get the same
    /// answer, so one renewal serves all of them.
    func renew() {
        guard !isSettling, tokens.isUsable else { return }
        tokens.discard()
        isSettling = inFlight > 0
        tokens.renewIfDue()
    }

    func ended(tag: UInt64, _ request: UnansweredRequest) {
        left()
        switch request {
        case .neverSent(let detail):
            events.ended(tag: tag, FCMReply.outcome(of: .connectFailed, detail: detail ?? "refused unread"))
        case .undecided(let detail):
            events.ended(tag: tag, FCMReply.outcome(of: .noAnswer, detail: detail))
        }
    }

    func refused(_ reason: String) { events.refused(account, .connectionIsOurFault, reason: reason) }

    func unreachable(_ reason: String) {
        guard case .neverSent(let verdict, let text) = FCMReply.outcome(of: .connectFailed, detail: reason)
        else {
            return
        }
        events.unreachable(account, verdict, reason: text)
    }
}
