/// Reasons that hold what no word of a rule can: `\x1b` in a rule stands for the byte. Tests of what a client
/// shows of a gateway's words need them.
enum ReasonEscapes {
    /// Whether each backslash begins an escape.
    static func areSound(in word: String) -> Bool {
        var rest = Array(word.utf8)[...]
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            rest = rest[(backslash + 1)...]
            guard rest.count >= 3, rest.removeFirst() == UInt8(ascii: "x"),
                rest.prefix(2).allSatisfy({ Hex.value(of: $0) != nil })
            else { return false }
        }
        return true
    }

    /// The same in a JSON string.
    static func json(_ reason: String) -> String { reason.replacing("\\x", with: "\\u00") }

    /// The bytes themselves.
    static func bytes(_ reason: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(reason.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), rest.count >= 3 else {
                bytes.append(byte)
                continue
            }
            let digits = rest.dropFirst().prefix(2).map { Hex.value(of: $0) ?? 0 }
            bytes.append(digits[0] << 4 | digits[1])
            rest = rest.dropFirst(3)
        }
        return bytes
    }
}
