/// From a time of the day to another one, of this day or of the next. ``DeliveryCalendar`` holds messages back until they
/// are over; preparation knows the zones of recipients (`DueTimes`).
package struct QuietHours: Equatable, Sendable, Codable {
    /// Seconds since midnight; not equal.
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    package var isSound: Bool {
        DayTime.range.contains(from) && DayTime.range.contains(to) && from != to
    }

    /// In seconds, on a day of the usual length.
    package var length: Int { (to - from + DayTime.day) % DayTime.day }

    /// - Parameter seconds: since midnight. The end is outside.
    package func contains(_ seconds: Int) -> Bool {
        from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to
    }

    /// When they are over that this moment lies in; nil: it lies in none.
    package func end(at moment: WallTime, offset: (WallTime) -> Int) -> WallTime? {
        let (day, seconds) = DayTime.split(moment, offset: offset)
        guard contains(seconds) else { return nil }
        let end = DayTime.moment(day: seconds < to ? day : day + 1, to, offset: offset)
        if end > moment { return end }
        // In an hour that comes twice, its first end is over.
        return moment.advanced(bySeconds: Int64((to - seconds + DayTime.day) % DayTime.day))
    }
}
