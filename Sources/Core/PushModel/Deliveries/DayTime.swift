/// Times of day in the local time of a zone, in seconds since midnight.
///
/// If a time does not exist on a day because summer time begins, it is interpreted with the offset before the
/// change, which makes it an hour later. If a time occurs twice on a day, the first occurrence counts.
package enum DayTime {
    package static let day = 86_400
    package static let range = 0..<day

    /// Parses a time such as `10:00`, as documents write it.
    package static func read(_ text: some StringProtocol) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        func number(_ place: Int) -> Int? {
            let digits = bytes[place..<place + 2].map { Int($0) - Int(UInt8(ascii: "0")) }
            guard digits.allSatisfy((0...9).contains) else { return nil }
            return digits[0] * 10 + digits[1]
        }
        guard let hour = number(0), let minute = number(3), hour < 24, minute < 60 else { return nil }
        return hour * 3_600 + minute * 60
    }

    package static func text(_ seconds: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(two(seconds / 3_600)):\(two(seconds / 60 % 60))"
    }

    /// Returns the local time at a moment: days since 1970, and seconds since midnight.
    package static func split(_ moment: WallTime, offset: (WallTime) -> Int) -> (day: Int64, seconds: Int) {
        let local = moment.secondsSince1970.clampedSum(Int64(offset(moment)))
        let (days, seconds) = local.flooredQuotientAndRemainder(by: Int64(day))
        return (days, Int(seconds))
    }

    /// Returns the moment at which the local time is the given time of the given day.
    package static func moment(day: Int64, _ seconds: Int, offset: (WallTime) -> Int) -> WallTime {
        let local = WallTime(secondsSince1970: day.clampedProduct(Int64(Self.day)).clampedSum(Int64(seconds)))
        // No zone is a day away from UTC, and none changes twice within two days.
        let before = Int64(offset(local.advanced(bySeconds: -Int64(Self.day))))
        let after = Int64(offset(local.advanced(bySeconds: Int64(Self.day))))
        for candidate in [before, after] {
            let moment = local.advanced(bySeconds: -candidate)
            if Int64(offset(moment)) == candidate { return moment }
        }
        return local.advanced(bySeconds: -before)
    }

    /// Returns the first moment, not before `from`, at which the local time is the given time of day.
    package static func next(_ seconds: Int, from: WallTime, offset: (WallTime) -> Int) -> WallTime {
        let (day, _) = split(from, offset: offset)
        let today = moment(day: day, seconds, offset: offset)
        return today >= from ? today : moment(day: day + 1, seconds, offset: offset)
    }
}
