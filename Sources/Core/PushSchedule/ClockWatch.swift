package import PushModel

/// Notices when the wall clock was set: what is stored in wall time must then not be judged by it at once.
///
/// A wall clock that jumps forward would end the validity of everything that waits; one that jumps back would
/// make credentials look as if they came from the future, and retries wait for a time that is far away again.
/// So: say it, renew credentials, move due times back with the clock, and end nothing for ``graceSeconds``;
/// sending goes on meanwhile.
package struct ClockWatch: Sendable {
    /// Wall minus monotonic may drift so far without being called a jump.
    package static let toleranceSeconds: Int64 = 30
    /// Long enough for an operator, or a time service, to put a wrong step right.
    package static let graceSeconds: Int64 = 600

    /// Wall minus monotonic at the last judgement, in seconds.
    private var difference: Int64?
    private var graceEnd: MonotonicTime?
    /// What bears this date or a later one, by the clock as it goes now, was dated by the clock as it goes
    /// now: since then it was not set forward. nil before the first look.
    package private(set) var trueSince: WallTime?

    package init() {}

    /// Asked about once a second.
    /// - Returns: by how many seconds the wall clock jumped since the last time; nil: it did not.
    package mutating func observe(wall: WallTime, at now: MonotonicTime) -> Int64? {
        let present = wall.secondsSince1970 - now.nanoseconds / 1_000_000_000
        guard let known = difference else {
            difference = present
            trueSince = wall
            return nil
        }
        guard abs(present - known) > Self.toleranceSeconds else {
            // A slewed clock drifts by a second here and there for years: that never adds up to a jump.
            difference = present
            return nil
        }
        difference = present
        graceEnd = now.advanced(bySeconds: Self.graceSeconds)
        let jump = present - known
        // What was dated before a step back is to be moved with it, so it still counts as of this clock.
        trueSince = jump > 0 ? wall : trueSince?.advanced(bySeconds: jump)
        return jump
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
