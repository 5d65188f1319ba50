/// Writes rows in the form of RFC 4180, in UTF-8, each ending in LF. Exports and logs use it.
///
/// A spreadsheet treats a field that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a formula
/// and executes it, and devices choose much of the printed text. Such a field gets a leading apostrophe
/// (``CSVGuard``), which makes a spreadsheet treat the field as text. ``CSVScanner`` removes the apostrophe
/// again.
package struct CSVWriter {
    package private(set) var bytes: [UInt8] = []
    private var isAtLineStart = true

    package init() {}

    /// Appends a field, quoted if necessary.
    package mutating func append(_ field: String) {
        if !isAtLineStart { bytes.append(UInt8(ascii: ",")) }
        isAtLineStart = false
        let isGuarded = CSVGuard.isNeeded(for: field.utf8)
        guard Self.needsQuotes(field) else {
            if isGuarded { bytes.append(CSVGuard.mark) }
            return bytes.append(contentsOf: field.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
        if isGuarded { bytes.append(CSVGuard.mark) }
        for byte in field.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a number, which is not a formula even if it is negative.
    package mutating func append(_ number: some BinaryInteger) {
        if !isAtLineStart { bytes.append(UInt8(ascii: ",")) }
        isAtLineStart = false
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Ends the row.
    package mutating func endRow() {
        bytes.append(0x0A)
        isAtLineStart = true
    }

    package mutating func appendRow(_ fields: [String]) {
        for field in fields { append(field) }
        endRow()
    }

    /// Removes the written bytes, after the caller has passed them on, and keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private static func needsQuotes(_ field: String) -> Bool {
        // Spaces at the edges are part of a field (RFC 4180 §2.4), but spreadsheets drop them unless quoted.
        if field.utf8.first == 0x20 || field.utf8.last == 0x20 { return true }
        return field.utf8.contains { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D
        }
    }
}
