internal import Glibc
package import PushModel

/// The two clocks of the house, read here and handed to the pure rooms as arguments.
package enum Clocks {
    package static func monotonic() -> MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
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
