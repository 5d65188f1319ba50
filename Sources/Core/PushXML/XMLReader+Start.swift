/// The start of a document, before the first tag. It determines how the bytes are read.
extension XMLReader {
    /// Reads the byte order mark and the XML declaration, converts the bytes to UTF-8, and checks each
    /// character once.
    mutating func readStart() throws(XMLError) {
        let size = source.bytes.count
        if size > limits.bytes {
            throw source.error(0, "\(size) bytes are too many, maximum: \(limits.bytes)")
        }
        if source.starts(with: "\u{FEFF}") { source.bytes.removeFirst(3) }
        if source.bytes.starts(with: [0xFE, 0xFF]) || source.bytes.starts(with: [0xFF, 0xFE]) {
            throw source.error(0, Self.notText)
        }
        let encoding = try readXMLDeclaration()
        if encoding == .windows1252 { source.bytes = XMLEncoding.utf8(fromWindows1252: source.bytes) }
        try checkCharacters()
    }

    private static let notText = "the document is UTF-16 or not a text: save it as UTF-8"

    /// XML 1.0 §2.8, productions 23 to 26, 32.
    private mutating func readXMLDeclaration() throws(XMLError) -> XMLEncoding {
        guard source.starts(with: "<?xml"), let next = source.peek(5),
            XMLCharacters.isBlank(next) || next == UInt8(ascii: "?")
        else { return .utf8 }
        source.at = 5
        guard source.skip(past: "?>") != nil else {
            throw source.error(0, "this processing instruction is not closed")
        }
        source.at = 5
        guard let version = try readPseudoAttribute("version") else {
            throw source.error(
                source.at, "the XML declaration has no version: write <?xml version=\"1.0\"?>")
        }
        guard source.bytes[version].elementsEqual("1.0".utf8) else {
            throw source.error(
                version.lowerBound, "unsupported XML version: write version=\"1.0\"")
        }
        var encoding = XMLEncoding.utf8
        if let declared = try readPseudoAttribute("encoding"), text == .document {
            let name = source.bytes[declared]
            guard let known = XMLEncoding(name: String(decoding: name, as: UTF8.self)) else {
                throw source.error(
                    declared.lowerBound,
                    "the document declares the unsupported encoding \(quoted(name)): save it as UTF-8")
            }
            encoding = known
        }
        let standalone = try readPseudoAttribute("standalone").map { source.bytes[$0] }
        source.skipBlanks()
        let isKnown = standalone.map { $0.elementsEqual("yes".utf8) || $0.elementsEqual("no".utf8) } ?? true
        guard isKnown, source.skip("?>") else {
            throw source.error(
                source.at, "invalid XML declaration: write <?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        }
        return encoding
    }

    /// Returns the range of the value of the pseudo-attribute with this name; `nil` if this name is not next.
    private mutating func readPseudoAttribute(_ name: StaticString) throws(XMLError) -> Range<Int>? {
        let start = source.at
        guard source.skipBlanks(), source.skip(name) else {
            source.at = start
            return nil
        }
        source.skipBlanks()
        let hasValue = source.skip("=")
        source.skipBlanks()
        let value = source.at + 1
        let isQuoted =
            source.skip("\"") && source.skip(past: "\"") != nil
            || source.skip("'") && source.skip(past: "'") != nil
        guard hasValue, isQuoted else {
            throw source.error(start, "\(name) in the XML declaration has no quoted value")
        }
        return value..<source.at - 1
    }

    /// Rejects bytes that are not UTF-8, and characters that XML does not allow (§2.2).
    private mutating func checkCharacters() throws(XMLError) {
        let start = source.at
        defer { source.at = start }
        source.at = 0
        while let byte = source.peek() {
            if byte == 0 {
                // In UTF-16, every second byte of ASCII text is zero. The error is at this byte if the
                // document begins with a tag, and otherwise at the start.
                throw source.error(source.bytes.first == UInt8(ascii: "<") ? source.at : 0, Self.notText)
            }
            if byte < 0x80 {
                if byte < 0x20, !XMLCharacters.isBlank(byte) { throw notAllowed() }
                source.at += 1
                continue
            }
            var rest = source.bytes[source.at...].makeIterator()
            var parser = Unicode.UTF8.ForwardParser()
            guard case .valid(let encoded) = parser.parseScalar(from: &rest) else {
                throw source.error(
                    source.at,
                    """
                    this character is not valid UTF-8: save the document as UTF-8, or declare its \
                    encoding in the first line
                    """
                )
            }
            if !XMLCharacters.isAllowed(Unicode.UTF8.decode(encoded).value) { throw notAllowed() }
            source.at += encoded.count
        }
    }

    private mutating func notAllowed() -> XMLError {
        source.error(source.at, "a character not allowed in XML")
    }
}

/// The supported encodings. All are supersets of ASCII.
enum XMLEncoding: Equatable {
    case utf8
    /// windows-1252, according to the WHATWG's Encoding Standard, which also decodes ISO-8859-1 this way.
    /// Campaign's files declare ISO-8859-1.
    case windows1252

    init?(name: String) {
        switch name.lowercased() {
        case "utf-8", "utf8", "us-ascii", "ascii": self = .utf8
        case "iso-8859-1", "windows-1252": self = .windows1252
        default: return nil
        }
    }

    /// Converts windows-1252 to UTF-8.
    static func utf8(fromWindows1252 bytes: [UInt8]) -> [UInt8] {
        let units = bytes.map { byte in
            0x80...0x9F ~= byte ? upperControls[Int(byte) - 0x80] : UInt16(byte)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// The first 32 entries of index windows-1252 in the Encoding Standard.
    private static let upperControls: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
    ]
}
