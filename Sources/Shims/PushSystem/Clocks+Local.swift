internal import Glibc
package import PushModel

extension Clocks {
    /// The next time that this machine's clocks on the wall show this, by its time zone: in a day that lacks
    /// it (when summer begins) an hour later, in one that has it twice the first.
    /// - Parameter secondsSinceMidnight: 0 to 86 399.
    package static func next(localTime secondsSinceMidnight: Int, after now: WallTime) -> WallTime? {
        for days in 0...1 {
            var seconds = time_t(now.secondsSince1970)
            // Unsafe because the structure has a pointer to the zone's name, which nobody follows.
            var date = unsafe tm()
            guard unsafe localtime_r(&seconds, &date) != nil else { return nil }
            unsafe date.tm_mday += Int32(days)
            unsafe date.tm_hour = Int32(secondsSinceMidnight / 3_600)
            unsafe date.tm_min = Int32(secondsSinceMidnight / 60 % 60)
            unsafe date.tm_sec = Int32(secondsSinceMidnight % 60)
            unsafe date.tm_isdst = -1
            let found = unsafe mktime(&date)
            if found > time_t(now.secondsSince1970) { return WallTime(secondsSince1970: Int64(found)) }
        }
        return nil
    }
}
