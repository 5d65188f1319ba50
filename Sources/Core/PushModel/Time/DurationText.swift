/// Durations as people write them in settings and documents: `90s`, `5m`, `1h`, `5d`, or a plain number of
/// seconds.
package enum DurationText {
    /// The allowed form of a duration, for error messages.
    package static let allowed = "seconds, or a number followed by s, m, h or d, such as 90s, 5m, 1h, 5d"

    /// Returns the number of seconds, from 0, or `nil` if the text is not a duration or the number does not
    /// fit.
    package static func seconds(_ text: some StringProtocol) -> Int64? {
        var digits = Substring(text)
        let unit: Int64
        switch digits.utf8.last {
        case UInt8(ascii: "s"): unit = 1
        case UInt8(ascii: "m"): unit = 60
        case UInt8(ascii: "h"): unit = 3_600
        case UInt8(ascii: "d"): unit = 86_400
        default: unit = 0
        }
        if unit != 0 { digits = digits.dropLast() }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
            let count = Int64(digits)
        else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: max(unit, 1))
        return overflow ? nil : seconds
    }

    /// Returns a duration in the largest unit that divides it.
    package static func text(seconds: Int64) -> String {
        for (unit, suffix) in [(Int64(86_400), "d"), (3_600, "h"), (60, "m")]
        where seconds != 0 && seconds % unit == 0 {
            return "\(seconds / unit)\(suffix)"
        }
        return "\(seconds)s"
    }
}
