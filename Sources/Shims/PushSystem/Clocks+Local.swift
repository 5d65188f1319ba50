internal import Glibc
package import PushModel

extension Clocks {
    /// Returns the next time at which the local time in this machine's time zone has this value. On a day
    /// without this local time (when summer time begins), the result is an hour later. On a day on which this
    /// local time occurs twice, the result is the first occurrence.
    /// - Parameter secondsSinceMidnight: 0 to 86 399.
    package static func next(localTime secondsSinceMidnight: Int, after now: WallTime) -> WallTime? {
        for days in 0...1 {
            var seconds = time_t(now.secondsSince1970)
            // Unsafe because the structure has a pointer to the zone's name, which is never dereferenced.
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
