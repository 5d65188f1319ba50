package import PushModel

/// Decides what the outcome of one attempt means for its message: either a record is written to the store, or
/// the message is treated as if it had never been granted.
///
/// The four schedules of a gateway's table: With `now`, the child has already tried the message on several
/// connections, and the message rests for a short time. With `soon`, the message is tried again with
/// exponential back-off (``FastRetries``), and then on the calendar if that does not help. With `calendar`,
/// the message goes to the ``RetryCalendar``. With `hold`, it waits as if it had never been granted. A
/// message that would be due only after the end of its validity has had its last attempt.
package struct RetryPolicy: Sendable {
    package enum Decision: Equatable, Sendable {
        case record(MessageRecord)
        /// The message is treated as if it had never been granted: it remains pending or retrying, and may be
        /// granted again.
        case requeued
    }

    /// The known facts about a message and its delivery.
    package struct Message: Sendable {
        package var id: MessageID
        /// The number of attempts that counted before this one.
        package var attempts: Int
        /// The end of the message's validity; `nil` while validity must not be judged, for example after a
        /// jump of the clock.
        package var expiresAt: WallTime?
        /// The account through which the answer came.
        package var account: AccountKey
        /// Whether the message has only one attempt, whose answer is final.
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

    /// How long a message rests if the gateway did not process it on several connections in a row.
    static let pauseSeconds: Int64 = 10
    /// The maximum back-off.
    static let maxBackOffSeconds: Int64 = 3_600
    /// The maximum part of a wait to which jitter is applied, however long the wait is.
    static let maxJitteredSeconds: Int64 = 600

    package let calendar: RetryCalendar
    package let fast: FastRetries

    package init(calendar: RetryCalendar = RetryCalendar(), fast: FastRetries = FastRetries()) {
        self.calendar = calendar
        self.fast = fast
    }

    /// - Parameter jitter: Maps a delay in seconds to a similar delay.
    package func decide(
        _ outcome: Outcome, of message: Message, at now: WallTime, jitter: (Int64) -> Int64
    ) -> Decision {
        switch outcome {
        case .accepted(let providerID):
            return .record(
                MessageRecord(message: message.id, change: .sent(providerID: providerID), countsAttempt: true)
            )
        case .tooLarge(_, let limit):
            // The size is omitted because it differs from message to message, and a delivery distinguishes
            // its reasons by their text.
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

    /// Returns when the message is tried again; `nil` if never. If a gateway requests a longer delay than any
    /// table contains, the delay is respected, but not if it alone would prevent another attempt within the
    /// message's validity.
    private func due(
        _ verdict: Verdict, of message: Message, at now: WallTime, jitter: (Int64) -> Int64
    ) -> WallTime? {
        func due(_ verdict: Verdict) -> WallTime? {
            delaySeconds(verdict, after: message.attempts, jitter: jitter).map { now.advanced(bySeconds: $0) }
        }
        let wished = due(verdict)
        guard let wished, let end = message.expiresAt, wished >= end,
            Int64(verdict.minimumDelaySeconds) > Self.maxBackOffSeconds
        else { return wished }
        var bounded = verdict
        bounded.minimumDelaySeconds = Int32(Self.maxBackOffSeconds)
        return due(bounded)
    }

    /// Returns the seconds until the next attempt; `nil` if there is none.
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
                ? Self.maxBackOffSeconds : min(grown.partialValue, Self.maxBackOffSeconds)
        case .soon, .calendar:
            delay = calendar.delaySeconds(afterAttempt: max(tries, 1), gatewayMinimum: minimum)
        }
        let moved = min(delay, Self.maxJitteredSeconds)
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
    /// Returns the answer's verdict about the token; `nil` if it contains none. A moment in the future is
    /// replaced by the present: a device that registers later is alive, whatever the gateway's clock shows.
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
