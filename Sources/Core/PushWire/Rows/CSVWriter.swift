/// Rows as RFC 4180 writes them, in UTF-8 with LF at the end of each: what export and logs print.
///
/// A spreadsheet takes a field that begins with `=`, `+`, `-`, `@`, a tab or a carriage return for a formula
/// and runs it, and devices choose much of what is printed. Such a field gets an apostrophe in front
/// (``CSVGuard``), which marks text for a spreadsheet and which ``CSVScanner`` takes away again.
package struct CSVWriter {
    package private(set) var bytes: [UInt8] = []
    private var isAtLineStart = true

    package init() {}

    /// Appends a field, in quotation marks where it needs them.
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

    /// A number is no formula, even if it is negative.
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
