/// A period from one time of day to another, on the same day or the next. ``DeliveryCalendar`` holds messages
/// back until the quiet hours are over. Preparation knows the recipients' zones (`DueTimes`).
package struct QuietHours: Equatable, Sendable, Codable {
    /// The beginning and the end, in seconds since midnight. They are not equal.
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    package var isSound: Bool {
        DayTime.range.contains(from) && DayTime.range.contains(to) && from != to
    }

    /// The length in seconds, on a day of the usual length.
    package var length: Int { (to - from + DayTime.day) % DayTime.day }

    /// Reports whether a time of day is in the quiet hours. Their end is not included.
    /// - Parameter seconds: Seconds since midnight.
    package func contains(_ seconds: Int) -> Bool {
        from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to
    }

    /// Returns the end of the quiet hours that contain a moment, or `nil` if none contain it.
    package func end(at moment: WallTime, offset: (WallTime) -> Int) -> WallTime? {
        let (day, seconds) = DayTime.split(moment, offset: offset)
        guard contains(seconds) else { return nil }
        let end = DayTime.moment(day: seconds < to ? day : day + 1, to, offset: offset)
        if end > moment { return end }
        // The end is in an hour that occurs twice, and its first occurrence has passed.
        return moment.advanced(bySeconds: Int64((to - seconds + DayTime.day) % DayTime.day))
    }
}
