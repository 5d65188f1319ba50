/// A date with which a target compares: a day, a time, or a day or time relative to the start of the
/// delivery.
///
/// | written | meaning |
/// |---|---|
/// | `2026-01-31` | the whole day, in UTC |
/// | `2026-01-31T08:30:00Z` | the second |
/// | `-7d`, `+2w`, `0d` | the whole day, in UTC, this number of days or weeks from the day of the start |
/// | `-12h` | the second this number of hours from the start |
package struct TargetDate: Equatable, Sendable {
    /// The date as it is written.
    package let text: String
    private let moment: Moment

    private enum Moment: Equatable, Sendable {
        case day(Int64)
        case second(Int64)
        case relativeDay(Int64)
        case relativeSecond(Int64)
    }

    /// The forms of a date, for error messages.
    package static let forms =
        "a date, such as 2026-01-31 or 2026-01-31T08:30:00Z, or a time relative to the delivery's start, "
        + "such as -7d, +2w or -12h"

    package init?(_ text: String) {
        self.text = text
        if let relative = Self.relative(Array(text.utf8)) {
            moment = relative
        } else if let second = Self.seconds(ofTime: text) {
            moment = text.utf8.count == 10 ? .day(second / Self.day) : .second(second)
        } else {
            return nil
        }
    }

    package var isRelative: Bool {
        switch moment {
        case .relativeDay, .relativeSecond: true
        case .day, .second: false
        }
    }

    /// Returns the seconds that the date covers.
    /// - Parameter start: The start of the delivery.
    package func seconds(from start: WallTime) -> Range<Int64> {
        let begin: Int64
        var length: Int64 = 1
        switch moment {
        case .day(let day): (begin, length) = (day * Self.day, Self.day)
        case .second(let second): begin = second
        case .relativeDay(let days):
            let today = start.secondsSince1970.flooredQuotientAndRemainder(by: Self.day).quotient
            (begin, length) = ((today + days) * Self.day, Self.day)
        case .relativeSecond(let seconds): begin = start.secondsSince1970.clampedSum(seconds)
        }
        return begin..<begin.clampedSum(length)
    }

    private static let day: Int64 = 86_400

    /// - Parameter text: A sign, at most five digits, and a unit. Only zero needs no sign.
    private static func relative(_ text: [UInt8]) -> Moment? {
        let isSigned = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
        let digits = text.dropFirst(isSigned ? 1 : 0).dropLast()
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        var number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1) - 0x30 }
        guard isSigned || number == 0 else { return nil }
        if text.first == UInt8(ascii: "-") { number = -number }
        switch text.last {
        case UInt8(ascii: "d"): return .relativeDay(number)
        case UInt8(ascii: "w"): return .relativeDay(number * 7)
        case UInt8(ascii: "h"): return .relativeSecond(number * 3_600)
        default: return nil
        }
    }

    /// Returns the second of a day or of a time in UTC, in seconds since 1970, or `nil` if the text is
    /// neither. A date of birth can be before 1970, when POSIX time begins. In place of such a date, the same
    /// date a multiple of 400 years later is read, because the calendar repeats every 400 years.
    package static func seconds(ofTime value: String) -> Int64? {
        let text = Array(value.utf8)
        guard (10...32).contains(text.count), text[..<4].allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        var year = text[..<4].reduce(0) { $0 * 10 + Int($1) - 0x30 }
        guard year > 0 else { return nil }
        var eras: Int64 = 0
        while year < 1970 {
            year += 400
            eras += 1
        }
        let time = "\(year)\(value.dropFirst(4))" + (text.count == 10 ? "T00:00:00Z" : "")
        return WallTime(utc: time).map { $0.secondsSince1970 - eras * secondsPerEra }
    }

    /// The number of seconds in 400 years.
    private static let secondsPerEra: Int64 = 146_097 * 86_400
}
