/// The apostrophe that prevents spreadsheets from executing a field of a CSV file.
///
/// A field gets an additional apostrophe if it begins with a character that makes it a formula, or with
/// apostrophes followed by such a character. A reader removes one apostrophe from exactly these fields. Every
/// field is therefore read as it was before it was written.
enum CSVGuard {
    static let mark = UInt8(ascii: "'")

    /// Reports whether spreadsheets treat a byte as the beginning of a formula (OWASP, "CSV Injection").
    static func beginsFormula(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
        default: false
        }
    }

    static func isNeeded(for field: some Collection<UInt8>) -> Bool {
        guard let first = field.first, first == mark || beginsFormula(first) else { return false }
        return field.first { $0 != mark }.map(beginsFormula) ?? false
    }

    /// Reports whether a field of a file has an apostrophe that is not part of its text.
    static func isPresent(in text: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard start < end, text[start] == mark else { return false }
        var index = start + 1
        while index < end, text[index] == mark { index += 1 }
        return index < end && beginsFormula(text[index])
    }
}
