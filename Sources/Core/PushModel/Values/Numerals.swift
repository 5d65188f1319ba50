/// Numbers in a form for people.
package enum Numerals {
    /// Returns a text such as `1 234 567`.
    package static func grouped(_ value: Int) -> String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += " " }
            text.append(digit)
        }
        return text
    }

    /// Returns the text for the nearest whole number within the range of `Int`, or for 0 if the value is not
    /// a number.
    package static func grouped(_ value: Double) -> String {
        grouped(Int(exactly: value.rounded()) ?? (value.isNaN ? 0 : value < 0 ? .min : .max))
    }

    /// Returns a text such as `512 B` or `1.5 MB`, in powers of 1 000 and with one decimal.
    package static func bytes(_ value: Int) -> String {
        guard value >= 1_000 else { return "\(value) B" }
        var (amount, unit) = (Double(value) / 1_000, 0)
        let units = ["kB", "MB", "GB", "TB"]
        while amount >= 999.95, unit < units.count - 1 { (amount, unit) = (amount / 1_000, unit + 1) }
        let tenths = Int((amount * 10).rounded())
        return "\(grouped(tenths / 10)).\(tenths % 10) \(units[unit])"
    }

    /// Returns a text such as `1 row` or `2 rows`.
    package static func count(_ value: Int, _ noun: String) -> String {
        "\(grouped(value)) \(noun)\(value == 1 ? "" : "s")"
    }
}
