package import PushModel

/// How fast an account may open connections: APNs takes connecting again and again for an attack (Apple,
/// "Establishing a connection to APNs"), and no gateway is better for it.
///
/// A gateway that rotates its connections is followed at once; one that does so without end is followed once
/// a second.
package struct ConnectPace {
    package static let burst: Int64 = 30
    private static let nanosecondsEach: Int64 = 1_000_000_000

    /// Connections that may be opened now, in nanoseconds of refill.
    private var credit = burst * nanosecondsEach
    private var last: MonotonicTime?

    package init() {}

    /// Whether one may be opened now; it counts as opened.
    package mutating func take(at now: MonotonicTime) -> Bool {
        if let last {
            credit = min(credit + now.nanoseconds - last.nanoseconds, Self.burst * Self.nanosecondsEach)
        }
        last = now
        guard credit >= Self.nanosecondsEach else { return false }
        credit -= Self.nanosecondsEach
        return true
    }
}
