/// Rows as `subscribers export` writes them (RFC 4180), without the apostrophe in front of what a spreadsheet would run
/// as a formula.
package enum CommaSeparated {
    package static func rows(of bytes: [UInt8]) -> [[String]] {
        var rows: [[String]] = []
        var (row, field): ([String], [UInt8]) = ([], [])
        // After a quotation mark within quotes, which another one makes a part of the field.
        var (isQuoted, mayGoOn) = (false, false)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""):
                if mayGoOn { field.append(byte) }
                mayGoOn = isQuoted
                isQuoted.toggle()
                continue
            case UInt8(ascii: ",") where !isQuoted, UInt8(ascii: "\n") where !isQuoted:
                row.append(String(decoding: withoutGuard(field), as: UTF8.self))
                field.removeAll(keepingCapacity: true)
                guard byte == UInt8(ascii: "\n") else { break }
                rows.append(row)
                row.removeAll(keepingCapacity: true)
            default: field.append(byte)
            }
            mayGoOn = false
        }
        return rows
    }

    /// The engine puts an apostrophe in front of text that begins with a formula's character, or with apostrophes
    /// and then such a character.
    private static func withoutGuard(_ field: [UInt8]) -> ArraySlice<UInt8> {
        guard field.first == UInt8(ascii: "'"),
            let mark = field.first(where: { $0 != UInt8(ascii: "'") }), Array("=+-@\t\r".utf8).contains(mark)
        else { return field[...] }
        return field.dropFirst()
    }
}
