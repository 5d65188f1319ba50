/// The apostrophe that keeps spreadsheets from running a field of a CSV file.
///
/// A field gets one more apostrophe if it begins with a character that makes it a formula, or with
/// apostrophes and then such a character, and a reader takes one apostrophe away from exactly these fields.
/// So every field is read as it was before it was written.
enum CSVGuard {
    static let mark = UInt8(ascii: "'")

    /// What spreadsheets take for the beginning of a formula (OWASP, "CSV Injection").
    static func beginsFormula(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
        default: false
        }
    }

    static func isNeeded(for field: String.UTF8View) -> Bool {
        guard let first = field.first, first == mark || beginsFormula(first) else { return false }
        return field.first { $0 != mark }.map(beginsFormula) ?? false
    }

    /// Whether a field of a file has an apostrophe that is not part of its text.
    static func isPresent(in text: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard start < end, text[start] == mark else { return false }
        var index = start + 1
        while index < end, text[index] == mark { index += 1 }
        return index < end && beginsFormula(text[index])
    }
}
