internal import PushModel

/// A limit on the number of connections to one account's gateway that may fail in an hour. Without it, the
/// engine would connect once per second all day to a gateway that accepts connections and then fails, which
/// Apple treats as an attack (Apple, "Establishing a connection to APNs").
///
/// Connections that served requests do not count: a connection that the gateway rotates is replaced
/// immediately.
struct ConnectBudget: Equatable, Sendable {
    /// The maximum number of failed attempts per hour. All of them may be made in succession.
    static let attemptsPerHour: Int64 = 120
    private static let secondsEach = 3_600 / attemptsPerHour

    /// The remaining credit, in seconds. Each failed attempt costs `secondsEach`.
    private var credit = attemptsPerHour * secondsEach
    private var last: MonotonicTime?

    /// Records a failed attempt.
    /// - Returns: The minimum number of seconds to wait before the next attempt.
    mutating func spend(at now: MonotonicTime) -> Int64 {
        let since = last ?? now
        let refill = (now.nanoseconds - since.nanoseconds) / 1_000_000_000
        credit = min(credit + refill, Self.attemptsPerHour * Self.secondsEach)
        // The remaining fraction of a second counts towards the next call.
        last = since.advanced(bySeconds: refill)
        credit -= Self.secondsEach
        return max(Self.secondsEach - credit, 0)
    }
}
