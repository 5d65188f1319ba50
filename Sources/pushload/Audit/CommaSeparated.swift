/// Rows as `subscribers export` writes them (RFC 4180).
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
                row.append(String(decoding: field, as: UTF8.self))
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
}
