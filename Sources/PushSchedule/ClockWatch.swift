package import PushModel

/// Notices when the wall clock was set: what is stored in wall time must then not be judged by it at once.
///
/// A wall clock that jumps forward would end the validity of everything that waits; one that jumps back would make
/// credentials look as if they came from the future. So: say it, renew credentials, and end nothing for
/// ``graceSeconds``; sending goes on meanwhile.
package struct ClockWatch: Sendable {
    /// Wall minus monotonic may drift so far without being called a jump.
    package static let toleranceSeconds: Int64 = 30
    /// Long enough for an operator, or a time service, to put a wrong step right.
    package static let graceSeconds: Int64 = 600

    /// Wall minus monotonic at the last judgement, in seconds.
    private var difference: Int64?
    private var graceEnd: MonotonicTime?

    package init() {}

    /// Asked about once a second.
    /// - Returns: by how many seconds the wall clock jumped since the last time; nil: it did not.
    package mutating func observe(wall: WallTime, at now: MonotonicTime) -> Int64? {
        let present = wall.secondsSince1970 - now.nanoseconds / 1_000_000_000
        guard let known = difference else {
            difference = present
            return nil
        }
        guard abs(present - known) > Self.toleranceSeconds else {
            // A slewed clock drifts by a second here and there for years: that never adds up to a jump.
            difference = present
            return nil
        }
        difference = present
        graceEnd = now.advanced(bySeconds: Self.graceSeconds)
        return present - known
    }

    /// Seconds for which no validity is to be ended; 0: as ever.
    package func graceSeconds(at now: MonotonicTime) -> Int64 {
        graceEnd.map { max(($0.milliseconds(since: now) + 999) / 1_000, 0) } ?? 0
    }

    /// Whether the end of a validity may be judged by the wall clock.
    package func mayExpire(at now: MonotonicTime) -> Bool {
        graceEnd.map { now >= $0 } ?? true
    }
}
