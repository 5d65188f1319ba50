/// A wall time in ISO 8601 form, in UTC: `2026-11-21T10:00:00Z`.
extension WallTime {
    /// Parses an RFC 3339 time with any offset: `2026-11-21T12:00:00+02:00`, `2026-11-21t10:00:00.5z`. A text
    /// without an offset is refused, because it means a different time in each place. 24:00 and leap seconds
    /// are also refused.
    package init?(rfc3339 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t") else {
            return nil
        }
        let isUTC = bytes.last == UInt8(ascii: "Z") || bytes.last == UInt8(ascii: "z")
        let end = bytes.count - (isUTC ? 1 : 6)
        guard end >= 19, let offset = isUTC ? 0 : Self.offset(bytes[end...]),
            let local = WallTime(
                utc: String(
                    decoding: bytes[..<10] + Array("T".utf8) + bytes[11..<end] + Array("Z".utf8),
                    as: UTF8.self))
        else { return nil }
        self.init(secondsSince1970: local.secondsSince1970 - offset)
        guard (0...Self.writable.upperBound).contains(secondsSince1970) else { return nil }
    }

    /// Returns the seconds of an offset such as `+02:00`.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
        let digits = bytes.map { Int64($0) - Int64(UInt8(ascii: "0")) }
        let places = [1, 2, 4, 5]
        guard bytes.first == UInt8(ascii: "+") || bytes.first == UInt8(ascii: "-"),
            digits[3] == Int64(UInt8(ascii: ":")) - Int64(UInt8(ascii: "0")),
            places.allSatisfy({ (0...9).contains(digits[$0]) })
        else { return nil }
        let (hours, minutes) = (digits[1] * 10 + digits[2], digits[4] * 10 + digits[5])
        guard hours < 24, minutes < 60 else { return nil }
        return (hours * 3_600 + minutes * 60) * (bytes.first == UInt8(ascii: "-") ? -1 : 1)
    }

    /// Parses a time such as `2026-11-21T10:00:00Z`, from the year 1970 to 9999; `nil` if it is not valid.
    /// Only `Z` is accepted as UTC. A fraction of a second is allowed and dropped. A leap second is not
    /// allowed, because POSIX time has none.
    package init?(utc text: some StringProtocol) {
        let bytes = Array(text.utf8)
        func number(_ from: Int, _ length: Int) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[from..<from + length] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        let separators = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
        guard bytes.count >= 20, bytes.count <= 30, bytes.last == UInt8(ascii: "Z"),
            separators.allSatisfy({ bytes[$0.0] == $0.1.utf8.first }),
            let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
            year >= 1970, (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year),
            hour < 24, minute < 60, second < 60
        else { return nil }
        if bytes.count > 20 {
            guard bytes.count > 21, bytes[19] == UInt8(ascii: "."), number(20, bytes.count - 21) != nil else {
                return nil
            }
        }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        self.init(secondsSince1970: days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// ISO 8601 years have four digits: a time outside this range is written as the nearest time within it.
    private static let writable: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    package var utcText: String {
        let seconds = min(max(secondsSince1970, Self.writable.lowerBound), Self.writable.upperBound)
        let (days, time) = seconds.flooredQuotientAndRemainder(by: 86_400)
        let date = Self.date(daysSince1970: days)
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }
        let year = String(repeating: "0", count: max(0, 4 - String(date.year).count)) + String(date.year)
        return "\(year)-\(two(date.month))-\(two(date.day))"
            + "T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
    }

    // Dates use the proleptic Gregorian calendar in eras of 400 years. Years begin on 1 March, so that the
    // leap day is the last day of its year and months follow one linear rule (153 days for every five
    // months).

    /// Returns the days since 1970, without checking that the date exists.
    package static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = marchYear.flooredQuotientAndRemainder(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysBefore1970
    }

    static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSince1970 + daysBefore1970).flooredQuotientAndRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of days from 1 March of year 0 to 1 January 1970.
    private static let daysBefore1970: Int64 = 719_468
}

extension Int64 {
    func flooredQuotientAndRemainder(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
