internal import PushModel

/// The bytes of a document, read from front to back, with a line and a column for each position.
struct XMLCursor {
    /// The bytes of the document, which are UTF-8 without a byte order mark once ``XMLReader`` has prepared
    /// them.
    var bytes: [UInt8]
    /// The offset of the next byte.
    var at = 0
    /// The number of bytes examined, counting repeated examinations. A test compares this number with the
    /// size of a document.
    private(set) var looks = 0
    /// The position that was last requested, and its offset.
    private var place = SourcePosition(line: 1, column: 1)
    private var placed = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { at >= bytes.count }

    /// Returns the byte at the given distance ahead; `nil` past the end.
    mutating func peek(_ ahead: Int = 0) -> UInt8? {
        looks += 1
        return at + ahead < bytes.count ? bytes[at + ahead] : nil
    }

    mutating func starts(with text: StaticString) -> Bool {
        looks += text.utf8CodeUnitCount
        guard at + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { unsafe bytes[at...].starts(with: $0) }
    }

    /// Skips these bytes if they are next.
    mutating func skip(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        at += text.utf8CodeUnitCount
        return true
    }

    /// - Returns: Whether there was any white space.
    @discardableResult
    mutating func skipBlanks() -> Bool {
        let start = at
        while let byte = peek(), XMLCharacters.isBlank(byte) { at += 1 }
        return at > start
    }

    /// Skips to the end of the next occurrence of these bytes, or to the end of the document.
    ///
    /// - Returns: The offset of the occurrence; `nil` if there is none.
    mutating func skip(past text: StaticString) -> Int? {
        while !isAtEnd {
            if skip(text) { return at - text.utf8CodeUnitCount }
            at += 1
        }
        return nil
    }

    /// Returns the next character and its length in bytes; `nil` at the end. The bytes must be known to be
    /// UTF-8.
    mutating func scalar() -> (value: UInt32, length: Int)? {
        guard let first = peek() else { return nil }
        if first < 0x80 { return (UInt32(first), 1) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for ahead in 1..<length { value = value << 6 | UInt32(peek(ahead) ?? 0) & 0x3F }
        return (value, length)
    }

    /// Returns the line and column of an offset. This is inexpensive if offsets increase. For an earlier
    /// offset, the function counts from the beginning; only an error requires this, and an error ends the
    /// reading.
    mutating func position(of offset: Int) -> SourcePosition {
        if offset < placed { (place, placed) = (SourcePosition(line: 1, column: 1), 0) }
        let end = min(offset, bytes.count)
        looks += end - placed
        while placed < end {
            if bytes[placed] == UInt8(ascii: "\n") {
                place = SourcePosition(line: place.line + 1, column: 1)
            } else if bytes[placed] & 0xC0 != 0x80 {
                // In UTF-8, bytes 10xxxxxx continue a character.
                place.column += 1
            }
            placed += 1
        }
        return place
    }

    mutating func error(_ offset: Int, _ message: String) -> XMLError {
        XMLError(position: position(of: offset), message: message)
    }
}

/// Returns text from the document for an error message: in quotes, on one line, and no longer than a line.
func quoted(_ bytes: ArraySlice<UInt8>) -> String { "\"\(String(printable: bytes, atMost: 60))\"" }

/// The classes of characters that XML 1.0 (fifth edition) defines.
enum XMLCharacters {
    /// §2.2, production 2: characters that are permitted in a document.
    static func isAllowed(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }

    /// §2.3, production 3.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
    static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        UInt8(exactly: scalar.value).map(isBlank) ?? false
    }

    /// §2.3, production 4. A colon is an ordinary letter, because namespaces are not supported.
    static func startsName(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x3A, 0x41...0x5A, 0x5F, 0x61...0x7A: true  // : A-Z _ a-z
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D,
            0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x1_0000...0xE_FFFF:
            true
        default: false
        }
    }

    /// §2.3, production 4a.
    static func continuesName(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true  // - . 0-9
        default: startsName(scalar)
        }
    }

    /// §4.6: the only entities that exist without a declaration.
    static func predefined(_ name: ArraySlice<UInt8>) -> UInt8? {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": UInt8(ascii: "&")
        case "lt": UInt8(ascii: "<")
        case "gt": UInt8(ascii: ">")
        case "quot": UInt8(ascii: "\"")
        case "apos": UInt8(ascii: "'")
        default: nil
        }
    }
}
