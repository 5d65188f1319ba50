/// A number in JSON syntax (RFC 8259 §6), for comparison. Two 64-bit integers are compared by all of their
/// digits; any other two numbers are compared as floating-point numbers.
struct DecimalNumber: Comparable {
    private let integer: Int64?
    private let real: Double

    init(_ integer: Int64) {
        self.integer = integer
        real = Double(integer)
    }

    init(_ real: Double) {
        integer = Int64(exactly: real)
        self.real = real
    }

    /// `nil` if the text is not a number in this syntax or if the number is too large to be compared. The
    /// syntax does not allow surrounding space, a plus sign or unnecessary leading zeros.
    init?(_ text: ArraySlice<UInt8>) {
        guard let first = text.first, first == UInt8(ascii: "-") || Self.isDigit(first) else { return nil }
        guard let isInteger = Self.isInteger(text) else { return nil }
        let word = String(decoding: text, as: UTF8.self)
        if isInteger, let integer = Int64(word) {
            self.init(integer)
        } else if let real = Double(word), real.isFinite {
            self.init(real)
        } else {
            return nil
        }
    }

    static func == (left: DecimalNumber, right: DecimalNumber) -> Bool {
        if let one = left.integer, let other = right.integer { return one == other }
        return left.real == right.real
    }

    static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        if let one = left.integer, let other = right.integer { return one < other }
        return left.real < right.real
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Returns `nil` if the text is not written as a number.
    private static func isInteger(_ text: ArraySlice<UInt8>) -> Bool? {
        var rest = text
        func digits() -> Int {
            let count = rest.prefix(while: isDigit).count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let count = digits()
        guard count > 0, !startsWithZero || count == 1 else { return nil }
        var isInteger = true
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return nil }
            isInteger = false
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits() > 0 else { return nil }
            isInteger = false
        }
        return rest.isEmpty ? isInteger : nil
    }
}
