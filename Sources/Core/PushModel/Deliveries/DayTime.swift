/// Times of the day as the clocks of a zone show them, in seconds since midnight.
///
/// A time that a day lacks (when summer begins) is as long after the change as it would have been after the
/// hour before it: an hour later. Of one that a day has twice the first counts.
package enum DayTime {
    package static let day = 86_400
    package static let range = 0..<day

    /// `10:00`, as documents have it.
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

    /// What the zone's clocks show then: days since 1970, and seconds since midnight.
    package static func split(_ moment: WallTime, offset: (WallTime) -> Int) -> (day: Int64, seconds: Int) {
        let local = moment.secondsSince1970.clampedSum(Int64(offset(moment)))
        let (days, seconds) = local.flooredQuotientAndRemainder(by: Int64(day))
        return (days, Int(seconds))
    }

    /// The moment at which they show that time of that day.
    package static func moment(day: Int64, _ seconds: Int, offset: (WallTime) -> Int) -> WallTime {
        let local = WallTime(secondsSince1970: day.clampedProduct(Int64(Self.day)).clampedSum(Int64(seconds)))
        // No zone is a day from UTC, nor changes twice in two days.
        let before = Int64(offset(local.advanced(bySeconds: -Int64(Self.day))))
        let after = Int64(offset(local.advanced(bySeconds: Int64(Self.day))))
        for candidate in [before, after] {
            let moment = local.advanced(bySeconds: -candidate)
            if Int64(offset(moment)) == candidate { return moment }
        }
        return local.advanced(bySeconds: -before)
    }

    /// The first moment from then on at which they show that time.
    package static func next(_ seconds: Int, from: WallTime, offset: (WallTime) -> Int) -> WallTime {
        let (day, _) = split(from, offset: offset)
        let today = moment(day: day, seconds, offset: offset)
        return today >= from ? today : moment(day: day + 1, seconds, offset: offset)
    }
}
