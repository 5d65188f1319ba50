internal import PushModel
internal import PushSchedule

/// The answers to an account's messages: their rate per second, and the number of answers that are not in the
/// store yet.
struct AccountTraffic: Sendable {
    private(set) var rate = RecentRate()
    /// The number of answered messages whose outcomes are not committed yet.
    private(set) var unrecorded = 0

    /// - Parameter requeued: The number of these outcomes that concern messages that the gateway did not
    ///   process.
    mutating func answered(_ outcomes: Int, requeued: Int, at now: MonotonicTime) {
        unrecorded += outcomes
        if outcomes > requeued { rate.add(outcomes - requeued, at: now) }
    }

    mutating func committed(_ outcomes: Int) { unrecorded = max(unrecorded - outcomes, 0) }
}
