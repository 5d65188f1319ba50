/// The yearly rule of a zone, in the POSIX `TZ` format, such as `CET-1CEST,M3.5.0,M10.5.0/3`. As RFC 9636
/// allows, the time of a change may fall on a different day.
struct ZoneRule: Equatable, Sendable {
    /// The offset of standard time, in seconds east of UTC.
    private let standard: Int
    private var daylightSaving: DaylightSaving?

    private struct DaylightSaving: Equatable {
        var offset: Int
        var begin: Change
        var end: Change
    }

    /// A yearly change of the offset: the day, and the local time according to the offset before the change.
    private struct Change: Equatable {
        var month: Int64
        /// The occurrence of the weekday in the month, from 1; 5 means the last one.
        var week: Int64
        /// The day of the week; 0 is Sunday.
        var weekday: Int64
        var seconds: Int

        /// Returns the seconds since 1970, as if local time were UTC.
        func moment(in year: Int64) -> Int64 {
            let first = WallTime.daysSince1970(year: year, month: month, day: 1)
            // 1 January 1970 was a Thursday.
            let weekdayOfFirst = (first + 4).flooredQuotientAndRemainder(by: 7).remainder
            var day = 1 + (weekday - weekdayOfFirst + 7) % 7 + (week - 1) * 7
            if day > WallTime.days(inMonth: month, of: year) { day -= 7 }
            return (first + day - 1) * 86_400 + Int64(seconds)
        }
    }

    func offset(at time: Int64) -> Int {
        guard let daylightSaving else { return standard }
        let days = time.clampedSum(Int64(standard)).flooredQuotientAndRemainder(by: 86_400).quotient
        // The range in which a calendar is meaningful.
        guard (-1_000_000...10_000_000).contains(days) else { return standard }
        let year = WallTime.date(daysSince1970: days).year
        let begin = daylightSaving.begin.moment(in: year) - Int64(standard)
        let end = daylightSaving.end.moment(in: year) - Int64(daylightSaving.offset)
        let isSummer = begin < end ? time >= begin && time < end : time >= begin || time < end
        return isSummer ? daylightSaving.offset : standard
    }

    /// `nil` if the text is not a rule or contains forms of days that the time zone database does not use.
    init?(_ text: [UInt8]) {
        var cursor = Cursor(text: text[...])
        guard cursor.name(), let west = cursor.time() else { return nil }
        standard = -west
        if cursor.text.isEmpty { return }
        guard cursor.name() else { return nil }
        var offset = standard + 3_600
        if cursor.text.first != UInt8(ascii: ",") {
            guard let west = cursor.time() else { return nil }
            offset = -west
        }
        guard let begin = cursor.change(), let end = cursor.change(), cursor.text.isEmpty else { return nil }
        daylightSaving = DaylightSaving(offset: offset, begin: begin, end: end)
    }

    private struct Cursor {
        var text: ArraySlice<UInt8>

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard text.first == UInt8(ascii: character) else { return false }
            text.removeFirst()
            return true
        }

        /// Skips a name: letters, or any characters in angle brackets.
        mutating func name() -> Bool {
            if take("<") {
                text = text.drop { $0 != UInt8(ascii: ">") }
                return take(">")
            }
            let count = text.count
            text = text.drop {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
            return text.count < count
        }

        mutating func number() -> Int64? {
            let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...3).contains(digits.count) else { return nil }
            text.removeFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }

        /// Parses hours, minutes and seconds. Only the hours are required.
        mutating func time() -> Int? {
            let isNegative = take("-")
            if !isNegative { _ = take("+") }
            guard let hours = number(), hours <= 167 else { return nil }
            var seconds = Int(hours) * 3_600
            for unit in [60, 1] where text.first == UInt8(ascii: ":") {
                guard take(":"), let value = number(), value < 60 else { return nil }
                seconds += Int(value) * unit
            }
            return isNegative ? -seconds : seconds
        }

        mutating func change() -> Change? {
            guard take(","), take("M"), let month = number(), (1...12).contains(month), take("."),
                let week = number(), (1...5).contains(week), take("."), let weekday = number(), weekday < 7
            else { return nil }
            var seconds = 7_200
            if take("/") {
                guard let time = time() else { return nil }
                seconds = time
            }
            return Change(month: month, week: week, weekday: weekday, seconds: seconds)
        }
    }
}
