import PushModel

/// The separator between the columns of a table. RFC 4180 uses the comma. Spreadsheets also write tabs or, in
/// countries whose numbers have a decimal comma, semicolons.
enum CSVSeparator: UInt8, CaseIterable {
    case comma = 0x2C
    case semicolon = 0x3B
    case tab = 0x09

    static let words = "commas, semicolons or tabs"
}

extension CSVScanner {
    /// Chooses the separator from the header of a file: the first separator that splits the header into
    /// columns that include the required ones. Column names may contain the other separators. If no separator
    /// fits, the comma is used.
    /// - Parameters:
    ///   - end: The end of the bytes to examine.
    ///   - mayGrow: Whether more bytes may follow after `end`.
    ///   - isHeader: Reports whether these column names include the required ones.
    /// - Returns: `false` if more bytes are needed to decide.
    mutating func chooseSeparator(
        _ text: borrowing Span<UInt8>, from start: Int, to end: Int, mayGrow: Bool,
        where isHeader: ([String]) -> Bool
    ) -> Bool {
        for candidate in CSVSeparator.allCases {
            separator = candidate
            switch scan(text, from: start, to: end, isLast: !mayGrow) {
            case .record:
                var names: [String] = []
                for field in fields { names.append(String(decoding: field.bytes(in: text), as: UTF8.self)) }
                if isHeader(names) { return true }
            case .blank: return true
            case .malformed: break
            case .incomplete: if mayGrow { return false }
            }
        }
        separator = .comma
        return true
    }
}
