internal import Glibc
package import PushModel

/// The wall clock, for what a gateway must read as a date: `iat`, validity.
package enum WallClock {
    package static func now() -> WallTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(secondsSince1970: Int64(time.tv_sec))
    }
}
