internal import PushModel
internal import PushSchedule

/// What the answers to an account's messages come to: how many a second, and how many the store does not have
/// yet.
struct AccountTraffic: Sendable {
    private(set) var rate = RecentRate()
    /// Answered, and not yet committed.
    private(set) var unrecorded = 0

    /// - Parameter requeued: of these, not looked at by the gateway.
    mutating func answered(_ outcomes: Int, requeued: Int, at now: MonotonicTime) {
        unrecorded += outcomes
        if outcomes > requeued { rate.add(outcomes - requeued, at: now) }
    }

    mutating func committed(_ outcomes: Int) { unrecorded = max(unrecorded - outcomes, 0) }
}
