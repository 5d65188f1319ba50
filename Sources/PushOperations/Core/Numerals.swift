/// Numbers as people read them.
package enum Numerals {
    /// `1 234 567`
    package static func grouped(_ value: Int) -> String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += " " }
            text.append(digit)
        }
        return text
    }

    /// The nearest whole number, within what an `Int` holds; 0 for what is no number.
    package static func grouped(_ value: Double) -> String {
        grouped(Int(exactly: value.rounded()) ?? (value.isNaN ? 0 : value < 0 ? .min : .max))
    }

    /// `1 row`, `2 rows`
    package static func count(_ value: Int, _ noun: String) -> String {
        "\(grouped(value)) \(noun)\(value == 1 ? "" : "s")"
    }
}
