package import PushModel

/// Detects that the wall clock was set. After that, stored wall times must not be compared with the new time
/// immediately.
///
/// A wall clock that jumps forward would end the validity of everything that waits. A clock that jumps back
/// would make credentials appear to come from the future, and would make retries wait for due times that are
/// then far in the future. The engine therefore logs each jump, renews credentials, moves due times back with
/// the clock, and expires nothing for ``graceSeconds`` after the jump. Sending continues meanwhile.
package struct ClockWatch: Sendable {
    /// How far the difference between wall and monotonic time may drift without counting as a jump.
    package static let toleranceSeconds: Int64 = 30
    /// Long enough for an operator or a time service to correct a wrong step.
    package static let graceSeconds: Int64 = 600

    /// Wall time minus monotonic time at the last observation, in seconds.
    private var difference: Int64?
    private var graceEnd: MonotonicTime?
    /// All recorded times from this one on agree with the clock's present setting, because the clock has not
    /// been set forward since. `nil` before the first observation.
    package private(set) var trueSince: WallTime?

    package init() {}

    /// Compares the wall clock with the monotonic clock. The caller calls this about once a second.
    /// - Returns: The number of seconds by which the wall clock jumped since the last call; `nil` if it did
    ///   not.
    package mutating func observe(wall: WallTime, at now: MonotonicTime) -> Int64? {
        let present = wall.secondsSince1970 - now.nanoseconds / 1_000_000_000
        guard let known = difference else {
            difference = present
            trueSince = wall
            return nil
        }
        guard abs(present - known) > Self.toleranceSeconds else {
            // A slewed clock may drift by a second now and then, for years. Such drift never counts as a
            // jump.
            difference = present
            return nil
        }
        difference = present
        graceEnd = now.advanced(bySeconds: Self.graceSeconds)
        let jump = present - known
        // Times that were recorded before a backward step are moved with the clock, so they still count as
        // recorded by it.
        trueSince = jump > 0 ? wall : trueSince?.advanced(bySeconds: jump)
        return jump
    }

    /// Returns the number of seconds for which no message may expire yet. 0 means that expiry works normally.
    package func graceSeconds(at now: MonotonicTime) -> Int64 {
        graceEnd.map { max(($0.milliseconds(since: now) + 999) / 1_000, 0) } ?? 0
    }

    /// Reports whether the end of a validity may be judged by the wall clock.
    package func mayExpire(at now: MonotonicTime) -> Bool {
        graceEnd.map { now >= $0 } ?? true
    }
}
