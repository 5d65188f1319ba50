internal import PushModel

/// Finds the fields of one CSV record (RFC 4180) in place: fields are ranges of the bytes that contain them.
///
/// Lines end in LF or CRLF. An apostrophe that prevents spreadsheets from executing a field (``CSVGuard``) is
/// not part of the field. A quotation mark opens a quoted field only if it is the field's first byte. Within
/// an unquoted field, a quotation mark is a fault, so that it cannot absorb the rows after it.
struct CSVScanner {
    /// The bytes of a field, without its quotation marks.
    struct Field: Equatable {
        var start: Int
        var end: Int
        /// Whether the field contains doubled quotation marks.
        var hasDoubledQuotes: Bool

        func bytes(in text: borrowing Span<UInt8>) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(end - start)
            var index = start
            while index < end {
                bytes.append(text[index])
                index += hasDoubledQuotes && text[index] == UInt8(ascii: "\"") ? 2 : 1
            }
            return bytes
        }
    }

    enum Step: Equatable {
        /// A record, whose fields are in ``CSVScanner/fields``. The next record begins at `next`, after the
        /// given number of line feeds.
        case record(next: Int, lineFeeds: Int)
        /// An empty line.
        case blank(next: Int)
        /// Bytes that are not a record. The next line begins after the first line feed that follows the
        /// start.
        case malformed(RowFault)
        /// The record continues beyond the bytes.
        case incomplete
    }

    private(set) var fields: [Field] = []
    /// The separator between two fields: a comma, or the separator that the header uses (``CSVSeparator``).
    var separator = CSVSeparator.comma

    /// - Parameters:
    ///   - end: The end of the bytes to examine.
    ///   - isLast: Whether the text also ends at `end`.
    mutating func scan(_ text: borrowing Span<UInt8>, from start: Int, to end: Int, isLast: Bool) -> Step {
        fields.removeAll(keepingCapacity: true)
        let separator = separator.rawValue
        var lineFeeds = 0
        var position = start
        while true {
            let content = position
            var hasDoubledQuotes = false
            let fault: Step?
            let isQuoted = position < end && text[position] == UInt8(ascii: "\"")
            if isQuoted {
                position += 1
                fault = Self.skipQuoted(text, &position, end, isLast, &lineFeeds, &hasDoubledQuotes)
            } else {
                fault = Self.skipPlain(text, &position, end, separator)
            }
            if let fault { return fault }
            let field = Self.field(
                text, from: isQuoted ? content + 1 : content, to: position, hasDoubledQuotes)
            if isQuoted { position += 1 }

            guard position < end else {
                guard isLast else { return .incomplete }
                fields.append(field)
                return .record(next: end, lineFeeds: lineFeeds)
            }
            switch text[position] {
            case separator:
                fields.append(field)
                position += 1
            case 0x0A:
                return finish(field, start: start, next: position + 1, lineFeeds: lineFeeds + 1)
            case 0x0D:
                guard position + 1 < end else {
                    return isLast ? finish(field, start: start, next: end, lineFeeds: lineFeeds) : .incomplete
                }
                guard text[position + 1] == 0x0A else { return .malformed(.strayCarriageReturn) }
                return finish(field, start: start, next: position + 2, lineFeeds: lineFeeds + 1)
            default:
                return .malformed(.textAfterQuote)
            }
        }
    }

    /// Skips to the closing quotation mark.
    @inline(__always)
    private static func skipQuoted(
        _ text: borrowing Span<UInt8>, _ position: inout Int, _ end: Int, _ isLast: Bool,
        _ lineFeeds: inout Int, _ hasDoubledQuotes: inout Bool
    ) -> Step? {
        while true {
            guard position < end else { return isLast ? .malformed(.unclosedQuote) : .incomplete }
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "\""):
                guard position + 1 < end else { return isLast ? nil : .incomplete }
                guard text[position + 1] == UInt8(ascii: "\"") else { return nil }
                hasDoubledQuotes = true
                position += 2
            case 0: return .malformed(.nulByte)
            default:
                if byte == 0x0A { lineFeeds += 1 }
                position += 1
            }
        }
    }

    /// Skips to the byte that ends the field.
    @inline(__always)
    private static func skipPlain(
        _ text: borrowing Span<UInt8>, _ position: inout Int, _ end: Int, _ separator: UInt8
    ) -> Step? {
        // No byte that ends a field or is a fault in a field is greater than both the separator and the
        // quotation mark.
        let highest = max(separator, UInt8(ascii: "\""))
        while position < end {
            let byte = text[position]
            if byte > highest {
                position += 1
                continue
            }
            if byte == separator || byte == 0x0A || byte == 0x0D { return nil }
            if byte == UInt8(ascii: "\"") { return .malformed(.strayQuote) }
            if byte == 0 { return .malformed(.nulByte) }
            position += 1
        }
        return nil
    }

    @inline(__always)
    private static func field(
        _ text: borrowing Span<UInt8>, from start: Int, to end: Int, _ hasDoubledQuotes: Bool
    ) -> Field {
        let isGuarded = CSVGuard.isPresent(in: text, from: start, to: end)
        return Field(start: isGuarded ? start + 1 : start, end: end, hasDoubledQuotes: hasDoubledQuotes)
    }

    private mutating func finish(_ field: Field, start: Int, next: Int, lineFeeds: Int) -> Step {
        // A quoted empty field starts after its quotation mark.
        if fields.isEmpty, field.start == start, field.end == start { return .blank(next: next) }
        fields.append(field)
        return .record(next: next, lineFeeds: lineFeeds)
    }
}
