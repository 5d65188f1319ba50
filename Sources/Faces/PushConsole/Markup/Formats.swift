internal import PushModel

/// The formats of numbers and durations. Each format is defined only here.
package enum Formats {
    private static var isGerman: Bool { Presentation.current.language == .german }

    /// Returns a text such as `1,234,567`, or `1.234.567` in German.
    package static func count(_ value: Int) -> String {
        Numerals.grouped(value).replacing(" ", with: isGerman ? "." : ",")
    }

    /// Returns a text such as `3.2%`, or `3,2 %` in German. A share that is not zero is never shown as zero,
    /// and a part that is not the whole is never shown as 100%.
    /// - Returns: `nil` if the whole is 0.
    package static func share(_ part: Int, of whole: Int) -> String? {
        guard whole > 0 else { return nil }
        var tenths = Int((Double(part) / Double(whole) * 1_000).rounded())
        var mark = ""
        if tenths == 0, part > 0 { (tenths, mark) = (1, "<") }
        if tenths == 1_000, part < whole { (tenths, mark) = (999, ">") }
        return "\(mark)\(decimal(tenths: tenths))\(isGerman ? "\u{A0}%" : "%")"
    }

    /// Returns a number with one decimal, or without decimals if the number is at least 100 or whole.
    package static func decimal(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        guard abs(value) < 100 else { return count(Int(value.rounded())) }
        return decimal(tenths: Int((value * 10).rounded()))
    }

    private static func decimal(tenths: Int) -> String {
        let (whole, rest) = (tenths.magnitude / 10, tenths.magnitude % 10)
        let text = (tenths < 0 ? "-" : "") + count(Int(whole))
        return rest == 0 ? text : "\(text)\(isGerman ? "," : ".")\(rest)"
    }

    /// Returns a text such as `512 B` or `1.5 MB`.
    package static func bytes(_ value: Int) -> String {
        let text = Numerals.bytes(value)
        return isGerman ? text.replacing(".", with: ",") : text
    }

    /// Returns a duration in one unit or in two: `40 s`, `12 min`, `2 h 5 min`, `3 days`, `1 day 12 h`.
    package static func duration(seconds: Int) -> String {
        let seconds = max(0, seconds)
        let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<600 where seconds % 60 > 0: return "\(minutes) min \(seconds % 60) s"
        case ..<3_600: return "\(minutes) min"
        case ..<86_400: return minutes % 60 == 0 ? "\(hours) h" : "\(hours) h \(minutes % 60) min"
        default:
            let name = isGerman ? (days == 1 ? "Tag" : "Tage") : (days == 1 ? "day" : "days")
            let rest = hours % 24
            return rest == 0 ? "\(count(days)) \(name)" : "\(count(days)) \(name) \(rest) h"
        }
    }

    /// Returns the duration of something that has ended, which is never zero: `<1 s`, `40 s`.
    package static func period(seconds: Double) -> String {
        seconds < 1 ? "<1 s" : duration(seconds: Int(seconds.rounded()))
    }

    /// Returns a duration for use after a preposition, such as `in` or `for`. The German plural differs.
    package static func durationAfterPreposition(seconds: Int) -> String {
        duration(seconds: seconds).replacing("Tage", with: "Tagen")
    }

    /// Returns a length in a drawing, with at most two decimals and always with a point.
    package static func length(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
        let sign = hundredths < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
