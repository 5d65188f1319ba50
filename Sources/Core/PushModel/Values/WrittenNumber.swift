/// A number as apps write it: a JSON number (RFC 8259 §6), which may also have a plus sign or leading zeros:
/// `3.14`, `1.0E10`, `-5`, `+7`, `007`. All of its digits are kept.
package struct WrittenNumber {
    private let isNegative: Bool
    private let whole: Substring
    private let fraction: Substring
    /// `nil` if the exponent is too large.
    private let exponent: Int?

    /// `nil` if the text is not a number in this syntax.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        func taken(_ count: Int) -> Substring {
            let taken = Substring(rest.prefix(count))
            rest = rest.dropFirst(count)
            return taken
        }
        func isSign(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }
        func digits() -> Substring { taken(rest.prefix { (0x30...0x39).contains($0) }.count) }
        isNegative = rest.first == UInt8(ascii: "-")
        if isSign(rest.first) { _ = taken(1) }
        whole = digits()
        guard !whole.isEmpty else { return nil }
        if rest.first == UInt8(ascii: ".") {
            _ = taken(1)
            fraction = digits()
            guard !fraction.isEmpty else { return nil }
        } else {
            fraction = ""
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            _ = taken(1)
            let sign = isSign(rest.first) ? taken(1) : ""
            let places = digits()
            guard !places.isEmpty else { return nil }
            exponent = Int("\(sign)\(places)")
        } else {
            exponent = 0
        }
        guard rest.isEmpty else { return nil }
    }

    /// A text that all equal numbers have, and no others; `nil` if the number is too large or too small.
    package var canonical: String? {
        let written = "\(whole)\(fraction)"
        var digits = written.drop { $0 == "0" }
        guard !digits.isEmpty else { return "0" }
        guard let exponent, exponent.magnitude <= Self.maxExponent else { return nil }
        var power = exponent - fraction.utf8.count
        while digits.last == "0" {
            digits.removeLast()
            power += 1
        }
        let sign = isNegative ? "-" : ""
        guard power.magnitude <= Self.maxZeros else { return "\(sign)\(digits)e\(power)" }
        if power >= 0 { return "\(sign)\(digits)\(String(repeating: "0", count: power))" }
        let zeros = String(repeating: "0", count: max(1 - power - digits.utf8.count, 0))
        let padded = zeros + digits
        return "\(sign)\(padded.dropLast(-power)).\(padded.suffix(-power))"
    }

    private static let maxExponent = 1_000_000
    /// The maximum power of ten for which a number is written without an exponent.
    private static let maxZeros = 40
}
