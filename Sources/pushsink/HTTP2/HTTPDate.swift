/// The date of HTTP's fields (RFC 9110 section 5.6.7), e.g. `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `seconds` since 1970, not negative.
    package static func text(_ seconds: Int) -> String {
        let days = seconds / 86_400, rest = seconds % 86_400
        // Years that begin in March have the leap day at their end; 719 468 days lie between year 0 and 1970.
        let shifted = days + 719_468
        let era = shifted / 146_097, dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
        let month = (fromMarch + 2) % 12
        let year = yearOfEra + era * 400 + (month < 2 ? 1 : 0)
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map(two).joined(separator: ":")
        return "\(weekdays[days % 7]), \(two(day)) \(months[month]) \(year) \(time) GMT"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
