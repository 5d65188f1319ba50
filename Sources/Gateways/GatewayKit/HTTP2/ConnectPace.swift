package import PushModel

/// The rate at which an account may open connections. APNs treats repeated connecting as an attack (Apple,
/// "Establishing a connection to APNs"), and repeated connecting harms any gateway.
///
/// If a gateway rotates its connections, they are replaced immediately. If it rotates them continuously, they
/// are replaced once a second.
package struct ConnectPace {
    package static let burst: Int64 = 30
    private static let nanosecondsEach: Int64 = 1_000_000_000

    /// The number of connections that may be opened now, multiplied by ``nanosecondsEach``.
    private var credit = burst * nanosecondsEach
    private var last: MonotonicTime?

    package init() {}

    /// Reports whether a connection may be opened now. If so, the connection counts as opened.
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
