internal import Glibc
package import PushModel

/// The machine's two clocks, read here and handed to the pure targets as arguments.
package enum Clocks {
    /// Never steps; stands still while the machine sleeps.
    package static func monotonic() -> MonotonicTime {
        MonotonicTime(nanoseconds: monotonicNanoseconds())
    }

    /// The same, for whoever reckons in numbers.
    package static func monotonicNanoseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Never steps, and goes on while the machine sleeps: for what must not be done after a moment.
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
