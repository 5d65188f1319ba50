/// A project's messages per minute.
///
/// "A token bucket, refilled each rolling minute": the minute begins with the first message, not with the
/// clock's.
package struct QuotaBucket {
    /// 0: no limit.
    package let perMinute: Int
    private var left = 0
    private var minute: Instant?

    package init(perMinute: Int) { self.perMinute = perMinute }

    /// Takes `count` messages' worth. Nil: granted; else the seconds after which there is quota again.
    package mutating func take(_ count: Int, at now: Instant) -> Int? {
        guard perMinute > 0 else { return nil }
        if minute.map({ now.since($0) >= .seconds(60) }) ?? true {
            minute = now
            left = perMinute
        }
        guard left < count, let minute else {
            left -= count
            return nil
        }
        // What is left of a minute may be too little for a batch that a whole one has room for.
        return max(1, 60 - Int(now.since(minute).seconds))
    }
}
