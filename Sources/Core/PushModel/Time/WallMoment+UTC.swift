/// A moment in ISO 8601 form, in UTC with milliseconds: `2026-11-21T10:00:00.250Z`.
extension WallMoment {
    /// See ``WallTime/init(rfc3339:)``. Digits beyond milliseconds are dropped.
    package init?(rfc3339 text: some StringProtocol) {
        guard let second = WallTime(rfc3339: text) else { return nil }
        let fraction = text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
            .prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.prefix(3)
        var milliseconds: Int64 = 0
        for byte in fraction { milliseconds = milliseconds * 10 + Int64(byte - UInt8(ascii: "0")) }
        for _ in fraction.count..<3 { milliseconds *= 10 }
        self.init(millisecondsSince1970: second.secondsSince1970 * 1_000 + milliseconds)
    }

    /// The moment in UTC. A moment outside the years 0 to 9999 is written with the nearest second within this
    /// range.
    package var utcText: String {
        let milliseconds = millisecondsSince1970.flooredQuotientAndRemainder(by: 1_000).remainder
        let digits = String(1_000 + milliseconds).dropFirst()
        return "\(time.utcText.dropLast()).\(digits)Z"
    }

    /// The day of the moment, such as `2026-11-21`.
    package var dayText: String { String(utcText.prefix(10)) }
}
