package import PushModel

/// What becomes of a message after one attempt: which record the store gets, or that nothing happened to it.
///
/// The four schedules of a gateway's table: `now` was tried on several connections by the child already and
/// rests for a moment; `soon` goes again with exponential back-off (``FastRetries``), and on the calendar when that
/// does not help; `calendar` goes to the ``RetryCalendar``; `hold` waits as if it had never been granted. What would
/// be due only after the validity's end has had its last attempt.
package struct RetryPolicy: Sendable {
    package enum Decision: Equatable, Sendable {
        case record(MessageRecord)
        /// As if never granted: it stays pending or retrying, and may be granted again.
        case requeued
    }

    /// What is known of a message and its delivery.
    package struct Message: Sendable {
        package var id: MessageID
        /// Attempts that counted before this one.
        package var attempts: Int
        /// The end of its validity; nil while that is not to be judged, as after a jump of the clock.
        package var expiresAt: WallTime?
        /// Whom the answer came through.
        package var account: AccountKey
        /// Whether it has one attempt, whose answer is final.
        package var isNowOrNever: Bool
        package init(
            id: MessageID, attempts: Int, expiresAt: WallTime?, account: AccountKey,
            isNowOrNever: Bool = false
        ) {
            self.id = id
            self.attempts = attempts
            self.expiresAt = expiresAt
            self.account = account
            self.isNowOrNever = isNowOrNever
        }
    }

    /// How long a message rests that the gateway would not look at on several connections in a row.
    static let pauseSeconds: Int64 = 10
    /// No back-off grows past this.
    static let longestBackOffSeconds: Int64 = 3_600
    /// Jitter moves a retry by a share of this at most, however long the wait.
    static let longestJitteredSeconds: Int64 = 600

    package let calendar: RetryCalendar
    package let fast: FastRetries

    package init(calendar: RetryCalendar = RetryCalendar(), fast: FastRetries = FastRetries()) {
        self.calendar = calendar
        self.fast = fast
    }

    /// - Parameter jitter: maps a delay in seconds to one near it.
    package func decide(
        _ outcome: Outcome, of message: Message, at now: WallTime, jitter: (Int64) -> Int64
    ) -> Decision {
        switch outcome {
        case .accepted(let providerID):
            return .record(
                MessageRecord(message: message.id, change: .sent(providerID: providerID), countsAttempt: true)
            )
        case .tooLarge(_, let limit):
            // Without the size, which differs from message to message: a delivery tells its reasons apart by
            // their words.
            let why = "payload too long: more than \(limit) bytes"
            return .record(
                MessageRecord(
                    message: message.id, change: .excluded(.refused, why: why), countsAttempt: false))
        case .missing(let parameter):
            return .record(
                MessageRecord(
                    message: message.id,
                    change: .excluded(
                        .undefined, why: "no value for {{\(parameter.printable(atMost: 64))}}"),
                    countsAttempt: false))
        case .neverSent:
            return .requeued
        case .rejected(let verdict, let reason), .undecided(let verdict, let reason):
            guard verdict.schedule != .hold || message.isNowOrNever else { return .requeued }
            let due = message.isNowOrNever ? nil : due(verdict, of: message, at: now, jitter: jitter)
            return .record(record(message, verdict, reason, due: due, at: now))
        }
    }

    /// When the message goes again; nil: never. A gateway's wish for a longer delay than any table has is obeyed, but
    /// no number from outside ends a message that could be tried again within its validity.
    private func due(
        _ verdict: Verdict, of message: Message, at now: WallTime, jitter: (Int64) -> Int64
    ) -> WallTime? {
        func due(_ verdict: Verdict) -> WallTime? {
            delaySeconds(verdict, after: message.attempts, jitter: jitter).map { now.advanced(bySeconds: $0) }
        }
        let wished = due(verdict)
        guard let wished, let end = message.expiresAt, wished >= end,
            Int64(verdict.minimumDelaySeconds) > Self.longestBackOffSeconds
        else { return wished }
        var bounded = verdict
        bounded.minimumDelaySeconds = Int32(Self.longestBackOffSeconds)
        return due(bounded)
    }

    /// Seconds until the next attempt; nil: there is none.
    private func delaySeconds(_ verdict: Verdict, after attempts: Int, jitter: (Int64) -> Int64) -> Int64? {
        let tries = attempts + (verdict.countsAttempt ? 1 : 0)
        if verdict.maximumTries > 0, tries >= Int(verdict.maximumTries) { return nil }
        let minimum = calendar.keepsMinimumDelays ? Int64(verdict.minimumDelaySeconds) : 0
        let delay: Int64
        switch verdict.schedule {
        case .none, .hold: return nil
        case .now: delay = Self.pauseSeconds
        case .soon where tries <= fast.count:
            let first = max(minimum, fast.delaySeconds)
            let grown = first.multipliedReportingOverflow(by: 1 << Int64(min(max(tries - 1, 0), 20)))
            delay =
                grown.overflow
                ? Self.longestBackOffSeconds : min(grown.partialValue, Self.longestBackOffSeconds)
        case .soon, .calendar:
            delay = calendar.delaySeconds(afterAttempt: max(tries, 1), gatewayMinimum: minimum)
        }
        let moved = min(delay, Self.longestJitteredSeconds)
        return max(delay - moved + jitter(moved), minimum, 1)
    }

    private func record(
        _ message: Message, _ verdict: Verdict, _ reason: String, due: WallTime?, at now: WallTime
    ) -> MessageRecord {
        let change: MessageRecord.Change
        if let due, message.expiresAt.map({ due < $0 }) ?? true {
            change = .retrying(due: due, verdict.failureType, verdict.failureReason, providerReason: reason)
        } else {
            change = .failed(verdict.failureType, verdict.failureReason, providerReason: reason)
        }
        return MessageRecord(
            message: message.id, change: change, countsAttempt: verdict.countsAttempt,
            tokenVerdict: verdict.aboutToken(through: message.account, at: now))
    }
}

extension Verdict {
    /// What the answer means for the account's breaker; nil where the answer is not about the account.
    package var trouble: AccountBreaker.Trouble? {
        if schedule == .hold { return .refused }
        return nil
    }

    /// What the answer says of the token; nil where it says nothing of it. A moment that has not come yet is taken as
    /// now: a device that registers later is alive, whatever the gateway's clock shows.
    func aboutToken(through account: AccountKey, at now: WallTime) -> TokenVerdict? {
        guard scope == .token else { return nil }
        let since = tokenDeadSince.map { $0.time > now ? WallMoment(now) : $0 }
        switch quarantine {
        case .no: return nil
        case .byCounter: return TokenVerdict(gravity: .suspect, deadSince: since, account: account)
        case .yes: return TokenVerdict(gravity: .dead, deadSince: since, account: account)
        }
    }
}
