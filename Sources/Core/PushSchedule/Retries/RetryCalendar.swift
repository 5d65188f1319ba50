package import PushModel

/// When a message that was not accepted goes again: Campaign's schedule, `nmac/retry`.
///
/// Up to ``retriesOnFirstDay`` retries ``periodSeconds`` apart, then one a day until validity ends (facts:
/// Campaign server, retries).
package struct RetryCalendar: Equatable, Sendable {
    /// `count`: retries of the first day. 0: once a day from the start.
    package var retriesOnFirstDay: Int
    /// `period`: at least so long between two attempts.
    package var periodSeconds: Int64
    /// `minimumDelays`: a gateway's own minimum wait is kept also where the calendar would be earlier.
    package var keepsMinimumDelays: Bool

    static let daySeconds: Int64 = 86_400

    package init(retriesOnFirstDay: Int = 5, periodSeconds: Int64 = 3_600, keepsMinimumDelays: Bool = true) {
        self.retriesOnFirstDay = max(retriesOnFirstDay, 0)
        self.periodSeconds = max(periodSeconds, 1)
        self.keepsMinimumDelays = keepsMinimumDelays
    }

    /// The calendar of one delivery.
    package func overridden(by own: RetryOverride) -> RetryCalendar {
        RetryCalendar(
            retriesOnFirstDay: own.count ?? retriesOnFirstDay,
            periodSeconds: own.periodSeconds ?? periodSeconds,
            keepsMinimumDelays: keepsMinimumDelays)
    }

    /// How long to wait after the attempt with this number, from 1, before the next.
    package func delaySeconds(afterAttempt attempt: Int, gatewayMinimum: Int64) -> Int64 {
        let isFirstDay =
            attempt <= retriesOnFirstDay && periodSeconds <= Self.daySeconds / Int64(max(attempt, 1))
        let delay = isFirstDay ? periodSeconds : max(periodSeconds, Self.daySeconds)
        return keepsMinimumDelays ? max(delay, gatewayMinimum) : delay
    }
}

/// Retries after a lost connection or a 5xx of FCM, before the ``RetryCalendar``: `nmac/retry`. A 5xx of APNs goes to
/// the calendar at once, with a minimum wait of a quarter of an hour.
package struct FastRetries: Equatable, Sendable {
    /// `fastCount`: 0 leaves all retries to the calendar.
    package var count: Int
    /// `fastDelay`: the wait before the first one, which doubles with each. A gateway's minimum wait may be longer.
    package var delaySeconds: Int64

    package init(count: Int = 4, delaySeconds: Int64 = 1) {
        self.count = max(count, 0)
        self.delaySeconds = max(delaySeconds, 1)
    }
}
