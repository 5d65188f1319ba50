package import PushModel

/// When a message that was not accepted is tried again: Campaign's schedule, `nmac/retry`.
///
/// Up to ``retriesOnFirstDay`` retries, ``periodSeconds`` apart, then one per day until the validity ends
/// (facts: Campaign server, retries).
package struct RetryCalendar: Equatable, Sendable {
    /// `count`: the number of retries on the first day. 0 means once a day from the start.
    package var retriesOnFirstDay: Int
    /// `period`: the minimum time between two attempts.
    package var periodSeconds: Int64
    /// `minimumDelays`: whether a gateway's own minimum wait is respected even if the calendar schedules an
    /// earlier retry.
    package var keepsMinimumDelays: Bool

    static let daySeconds: Int64 = 86_400

    package init(retriesOnFirstDay: Int = 5, periodSeconds: Int64 = 3_600, keepsMinimumDelays: Bool = true) {
        self.retriesOnFirstDay = max(retriesOnFirstDay, 0)
        self.periodSeconds = max(periodSeconds, 1)
        self.keepsMinimumDelays = keepsMinimumDelays
    }

    /// Returns this calendar with the values that a delivery overrides.
    package func overridden(by own: RetryOverride) -> RetryCalendar {
        RetryCalendar(
            retriesOnFirstDay: own.count ?? retriesOnFirstDay,
            periodSeconds: own.periodSeconds ?? periodSeconds,
            keepsMinimumDelays: keepsMinimumDelays)
    }

    /// Returns the seconds to wait between the attempt with this number, counted from 1, and the next.
    package func delaySeconds(afterAttempt attempt: Int, gatewayMinimum: Int64) -> Int64 {
        let isFirstDay =
            attempt <= retriesOnFirstDay && periodSeconds <= Self.daySeconds / Int64(max(attempt, 1))
        let delay = isFirstDay ? periodSeconds : max(periodSeconds, Self.daySeconds)
        return keepsMinimumDelays ? max(delay, gatewayMinimum) : delay
    }
}

/// Retries after a lost connection or a 5xx answer of FCM, before the ``RetryCalendar`` applies:
/// `nmac/retry`. After a 5xx answer of APNs, the calendar applies immediately, with a minimum wait of a
/// quarter of an hour.
package struct FastRetries: Equatable, Sendable {
    /// `fastCount`: the number of fast retries. 0 leaves all retries to the calendar.
    package var count: Int
    /// `fastDelay`: the wait before the first retry. The wait doubles with each further retry. A gateway's
    /// minimum wait may be longer.
    package var delaySeconds: Int64

    package init(count: Int = 4, delaySeconds: Int64 = 1) {
        self.count = max(count, 0)
        self.delaySeconds = max(delaySeconds, 1)
    }
}
