package import PushModel

/// What becomes of a message after one attempt: which record the store gets, or that nothing happened to it.
///
/// In this version `now` and `soon` rows are sent again and `calendar` rows are final; the calendar itself comes with
/// the retry settings.
package struct RetryPolicy: Sendable {
    package enum Decision: Equatable, Sendable {
        case record(MessageRecord)
        /// As if never granted: it stays pending or retrying, and may be granted again.
        case putBack
    }

    /// Attempts of a `soon` row before it is final.
    package var soonAttempts = 5
    /// How long a message rests that the gateway would not look at on several connections in a row.
    package var pauseSeconds: Int64 = 10
    /// No back-off grows past this.
    package var longestDelaySeconds: Int64 = 3_600

    package init() {}

    /// - Parameters:
    ///   - attempts: attempts that counted before this one.
    ///   - jitter: maps a delay in seconds to one near it.
    package func decide(
        _ outcome: Outcome, of message: MessageID, attempts: Int, at now: WallTime, jitter: (Int64) -> Int64
    ) -> Decision {
        switch outcome {
        case .accepted(let providerID):
            return .record(MessageRecord(message: message, change: .sent(providerID: providerID), countsAttempt: true))
        case .tooLarge(let bytes, let limit):
            let why = "payload too long: \(bytes) bytes, \(limit) allowed"
            return .record(MessageRecord(message: message, change: .excluded(.refused, why: why), countsAttempt: false))
        case .neverSent:
            return .putBack
        case .rejected(let verdict, let reason), .undecided(let verdict, let reason):
            return decide(verdict, reason, of: message, attempts: attempts, at: now, jitter: jitter)
        }
    }

    private func decide(
        _ verdict: Verdict, _ reason: String, of message: MessageID, attempts: Int, at now: WallTime,
        jitter: (Int64) -> Int64
    ) -> Decision {
        let tries = attempts + (verdict.countsAttempt ? 1 : 0)
        switch verdict.schedule {
        case .hold:
            return .putBack
        case .now:
            // The child has tried it on several connections already.
            return again(verdict, reason, of: message, at: now.advanced(bySeconds: max(jitter(pauseSeconds), 1)))
        case .soon where tries < soonAttempts:
            let base = max(Int64(verdict.minimumDelaySeconds), 1)
            let delay = min(base << Int64(min(max(tries - 1, 0), 20)), longestDelaySeconds)
            return again(verdict, reason, of: message, at: now.advanced(bySeconds: max(jitter(delay), base)))
        case .none, .soon, .calendar:
            return .record(
                MessageRecord(
                    message: message,
                    change: .failed(verdict.failureType, verdict.failureReason, providerReason: reason),
                    countsAttempt: verdict.countsAttempt))
        }
    }

    private func again(_ verdict: Verdict, _ reason: String, of message: MessageID, at due: WallTime) -> Decision {
        .record(
            MessageRecord(
                message: message,
                change: .retrying(
                    due: due, verdict.failureType, verdict.failureReason, providerReason: reason),
                countsAttempt: verdict.countsAttempt))
    }
}

extension Verdict {
    /// What the answer means for the account's gate; nil where the answer is not about the account.
    package var trouble: AccountGate.Trouble? {
        if schedule == .hold { return .refused }
        return nil
    }
}
