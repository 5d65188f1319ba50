internal import PushModel

/// Parses bytes to a ``JSONValue``, strictly according to RFC 8259.
///
/// This parser exists because operators' documents need more than the library provides. It refuses a key that
/// occurs twice instead of dropping one of the values, it limits the depth, and it reports every fault with a
/// line and a column. The parser also parses gateways' answers, one for each refused message.
package struct JSONParser {
    /// Maximum depth. Deeper nesting is refused. Apart from operators' own documents, no input has more than
    /// six levels, and the deepest target (`TargetExpression.maximumDepth`) has 35.
    package static let maximumDepth = 40

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// Keys that occur twice in an object, with their path and position.
    private var repeated: [(path: String, position: Int)] = []

    package static func parse(_ bytes: [UInt8]) throws(JSONFault) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.document()
        if let first = parser.repeated.first {
            parser.position = first.position
            throw parser.fault("the key \(first.path) occurs twice")
        }
        return value
    }

    /// - Returns: The value, and the paths of keys that occur twice. For such a key, the value contains the
    ///   first occurrence.
    static func read(_ bytes: [UInt8]) throws(JSONFault) -> (value: JSONValue, repeated: [String]) {
        var parser = JSONParser(bytes)
        return (try parser.document(), parser.repeated.map(\.path))
    }

    private mutating func document() throws(JSONFault) -> JSONValue {
        if bytes.starts(with: ByteOrderMark.bytes) { position = 3 }
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw fault("text after the end of the document") }
        return value
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Values

    private mutating func value() throws(JSONFault) -> JSONValue {
        skipSpace()
        guard let byte = peek else { throw fault("the document ends where a value is expected") }
        switch byte {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONFault) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONFault) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw fault("a value is expected")
        }
    }

    private mutating func nested(
        _ read: (inout JSONParser) throws(JSONFault) -> JSONValue
    ) throws(JSONFault) -> JSONValue {
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw fault("nested deeper than \(Self.maximumDepth) levels")
        }
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONFault) -> JSONValue {
        var members: [JSONMember] = []
        var keys: Set<String> = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            skipSpace()
            guard let byte = peek else { throw fault("the document ends where a key is expected") }
            guard byte == UInt8(ascii: "\"") else { throw fault("a key in quotation marks is expected") }
            let start = position
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("a colon is expected after a key") }
            let known = repeated.count
            let value = try value()
            if repeated.count > known { prefixRepeated(from: known, key.printable(atMost: 64)) }
            if keys.insert(key).inserted {
                members.append(JSONMember(key: key, value: value))
            } else if repeated.count < Faults.maxListed {
                repeated.append((key.printable(atMost: 64), start))
            }
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            try comma(before: UInt8(ascii: "}"))
        }
    }

    private mutating func array() throws(JSONFault) -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array([]) }
        while true {
            let known = repeated.count
            elements.append(try value())
            if repeated.count > known { prefixRepeated(from: known, "[\(elements.count - 1)]") }
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            try comma(before: UInt8(ascii: "]"))
        }
    }

    /// Skips the comma after a member or an element.
    /// - Parameter end: The byte that ends the object or the array. It must not follow the comma.
    private mutating func comma(before end: UInt8) throws(JSONFault) {
        let start = position
        guard take(UInt8(ascii: ",")) else {
            throw fault("a comma or \(Unicode.Scalar(end)) is expected")
        }
        skipSpace()
        guard peek != end else {
            position = start
            throw fault("a comma before \(Unicode.Scalar(end)) is not permitted in JSON")
        }
    }

    private mutating func prefixRepeated(from first: Int, _ key: String) {
        for index in first..<repeated.count {
            let path = repeated[index].path
            repeated[index].path = path.hasPrefix("[") ? key + path : "\(key).\(path)"
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        let expected = Array("\(word)".utf8)
        guard bytes[position...].starts(with: expected) else { throw fault("a value is expected") }
        position += expected.count
        return value
    }

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        let firstDigit = peek
        let integerDigits = digits()
        guard integerDigits > 0, integerDigits == 1 || firstDigit != UInt8(ascii: "0") else {
            position = start
            throw fault("a malformed number")
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() > 0 else { throw fault("a digit is expected after the decimal point") }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw fault("a digit is expected in the exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else {
            position = start
            throw fault("the number is too large")
        }
        return .real(value)
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        return position - start
    }

    // MARK: Strings

    private mutating func string() throws(JSONFault) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    position = start
                    throw fault("a string is not valid UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &text)
            case ..<0x20:
                throw fault(Self.problem(ofControl: byte))
            default:
                text.append(byte)
                position += 1
            }
        }
        position = start
        throw fault("a string is not closed with a quotation mark")
    }

    private static func problem(ofControl byte: UInt8) -> String {
        switch byte {
        case 0x0A, 0x0D: #"a line break in a string; write \n, or close the string with a quotation mark"#
        case 0x09: #"a tab in a string; write \t"#
        default: "an unescaped control character in a string"
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        guard let byte = peek else { throw fault("the document ends within an escape sequence") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try escapedScalar())).utf8)
        default:
            position -= 2
            throw fault(#"unknown escape sequence; write \\ for a backslash"#)
        }
    }

    /// Reads the part after `\u`: a scalar of the basic plane, or two surrogates that form a scalar of a
    /// higher plane.
    private mutating func escapedScalar() throws(JSONFault) -> Unicode.Scalar {
        let start = position
        var value = try fourHexDigits()
        if value & 0xFC00 == 0xD800 {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                position = start
                throw fault("unpaired surrogate")
            }
            let low = try fourHexDigits()
            guard low & 0xFC00 == 0xDC00 else {
                position = start
                throw fault("unpaired surrogate")
            }
            value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
        }
        // U+0000 ends strings in code that processes the bytes later (SQLite's text functions, C).
        guard value != 0, let scalar = Unicode.Scalar(value) else {
            position = start
            throw fault(
                value == 0 ? "the character U+0000, which is not allowed in texts" : "unpaired surrogate")
        }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw fault("four hex digits are expected")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func fault(_ problem: String) -> JSONFault {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // Bytes that continue a character are not counted.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        let hint = strangeMark.map {
            "; the character \($0) is not a quotation mark in JSON; use the straight double quotation mark"
        }
        let comment = isAtComment ? "; comments are not permitted in JSON" : ""
        return JSONFault(line: line, column: column, problem: problem + (hint ?? comment))
    }

    /// Whether a comment in the syntax of another language begins at the position.
    private var isAtComment: Bool {
        guard let byte = peek else { return false }
        let rest = bytes[position...]
        return byte == UInt8(ascii: "#") || rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8)
    }

    /// The character at the position, if it is a quotation mark that JSON does not use, such as those that
    /// word processors insert; otherwise `nil`.
    private var strangeMark: Character? {
        guard position < bytes.count else { return nil }
        let next = String(decoding: bytes[position..<min(position + 3, bytes.count)], as: UTF8.self)
        return next.first.flatMap { "'‘’‚‛“”„‟«»".contains($0) ? $0 : nil }
    }
}
