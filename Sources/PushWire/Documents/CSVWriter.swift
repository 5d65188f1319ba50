/// Rows as RFC 4180 writes them, in UTF-8 with LF at the end of each: what export and logs print.
package struct CSVWriter {
    package private(set) var bytes: [UInt8] = []
    private var isAtLineStart = true

    package init() {}

    /// Appends a field, in quotation marks where it needs them.
    package mutating func append(_ field: String) {
        if !isAtLineStart { bytes.append(UInt8(ascii: ",")) }
        isAtLineStart = false
        guard Self.needsQuotes(field) else { return bytes.append(contentsOf: field.utf8) }
        bytes.append(UInt8(ascii: "\""))
        for byte in field.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func append(_ field: some BinaryInteger) { append(String(field)) }

    /// Ends the row.
    package mutating func endRow() {
        bytes.append(0x0A)
        isAtLineStart = true
    }

    package mutating func appendRow(_ fields: [String]) {
        for field in fields { append(field) }
        endRow()
    }

    /// Forgets what was written and keeps the memory, once the caller has passed the bytes on.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private static func needsQuotes(_ field: String) -> Bool {
        // Spaces at the edges are part of a field (RFC 4180 §2.4), but spreadsheets drop them unless quoted.
        if field.utf8.first == 0x20 || field.utf8.last == 0x20 { return true }
        return field.utf8.contains { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D
        }
    }
}
