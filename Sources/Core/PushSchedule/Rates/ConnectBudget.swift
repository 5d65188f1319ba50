internal import PushModel

/// How many connections to one account's gateway may fail in an hour: a gateway that lets itself be connected
/// and then fails would otherwise be knocked at once a second all day, which Apple takes for an attack
/// (Apple, "Establishing a connection to APNs").
///
/// Connections that served do not count: one that the gateway rotates is followed at once.
struct ConnectBudget: Equatable, Sendable {
    /// Failed attempts of an hour, also those that may come in a row.
    static let attemptsPerHour: Int64 = 120
    private static let secondsEach = 3_600 / attemptsPerHour

    /// Seconds' worth of attempts that are still free.
    private var credit = attemptsPerHour * secondsEach
    private var last: MonotonicTime?

    /// An attempt failed.
    /// - Returns: seconds to wait at least before the next.
    mutating func spend(at now: MonotonicTime) -> Int64 {
        let since = last ?? now
        let refill = (now.nanoseconds - since.nanoseconds) / 1_000_000_000
        credit = min(credit + refill, Self.attemptsPerHour * Self.secondsEach)
        // What is left of a second counts towards the next.
        last = since.advanced(bySeconds: refill)
        credit -= Self.secondsEach
        return max(Self.secondsEach - credit, 0)
    }
}
