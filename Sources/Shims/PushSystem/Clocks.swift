internal import Glibc
package import PushModel

/// The machine's clocks, read here and passed to the pure targets as arguments.
package enum Clocks {
    /// Returns the time of a clock that never steps and stops while the machine sleeps.
    package static func monotonic() -> MonotonicTime {
        MonotonicTime(nanoseconds: monotonicNanoseconds())
    }

    /// Returns the monotonic time as a number of nanoseconds, for calculations.
    package static func monotonicNanoseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Returns the time of a clock that never steps and continues while the machine sleeps. It is for actions
    /// that must not happen after a given moment.
    package static func boot() -> MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    package static func wall() -> WallTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(secondsSince1970: Int64(time.tv_sec))
    }

    package static func moment() -> WallMoment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallMoment(millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
