import PushModel

/// What stands between the columns of a table. RFC 4180 has the comma; spreadsheets also write semicolons, in
/// countries whose numbers have a decimal comma, and tabs.
enum CSVSeparator: UInt8, CaseIterable {
    case comma = 0x2C
    case semicolon = 0x3B
    case tab = 0x09

    static let words = "commas, semicolons or tabs"
}

extension CSVScanner {
    /// Chooses the separator by the header of a file: the first one by which the header names the columns
    /// that it must have. Their names may hold the other separators. If no separator does that, it is the
    /// comma.
    /// - Parameters:
    ///   - end: where the bytes to look at end.
    ///   - mayGrow: whether more bytes may follow them.
    ///   - isHeader: whether these are the names of a header.
    /// - Returns: false: that cannot be said before more bytes have come.
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
