/// Prepares foreign text for a line that people read, in a log, a table or an error. Input that others choose
/// (a gateway, a token endpoint, a proxy, the name or contents of a file) is converted to text of bounded
/// length that stays on its line and contains no terminal commands, while its original characters remain
/// recognisable.
///
/// Line breaks and tabs become `\n`, `\r` and `\t`. Other invisible characters become the form `\u{1B}`:
/// control characters (C0, DEL, C1), format characters (including bidirectional ones), line and paragraph
/// separators, and characters that Unicode has not assigned. Bytes that are not UTF-8 become the form `\xFF`.
/// Printable ASCII is unchanged, including the backslash, so words can still be compared afterwards.
///
/// Text is converted once, where it enters the program. Data (tokens, credentials, ids that are sent again,
/// texts of messages) stays exact and is not converted.
extension StringProtocol {
    /// - Parameter limit: The maximum number of characters (Unicode scalars) to keep. If the text is longer,
    ///   `…` shows that the rest was removed.
    package func printable(atMost limit: Int = PrintableText.usualLimit) -> String {
        if utf8.count <= limit, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(self) }
        var shown = PrintableText(limit: limit)
        for scalar in unicodeScalars { guard shown.take(scalar) else { break } }
        return shown.text
    }
}

extension String {
    /// Creates printable text from bytes that should be UTF-8 and are usually plain ASCII.
    package init(printable bytes: [UInt8], atMost limit: Int = PrintableText.usualLimit) {
        if bytes.count <= limit, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            self = String(decoding: bytes, as: UTF8.self)
        } else {
            self.init(printable: bytes[...], atMost: limit)
        }
    }

    /// Creates printable text from bytes that should be UTF-8.
    package init(printable bytes: some Sequence<UInt8>, atMost limit: Int = PrintableText.usualLimit) {
        // Enough bytes for one character more than is kept, so that truncation is detected.
        let bytes = Array(bytes.prefix(4 * (Swift.min(limit, 1 << 20) + 1)))
        var shown = PrintableText(limit: limit)
        var at = 0
        reading: while true {
            var rest = bytes[at...].makeIterator()
            var parser = Unicode.UTF8.ForwardParser()
            switch parser.parseScalar(from: &rest) {
            case .valid(let encoded):
                at += encoded.count
                guard shown.take(Unicode.UTF8.decode(encoded)) else { break reading }
            case .error(let length):
                guard shown.take(invalid: bytes[at..<at + length]) else { break reading }
                at += length
            case .emptyInput: break reading
            }
        }
        self = shown.text
    }
}

/// Text that is being prepared for a reader.
package struct PrintableText {
    /// The usual maximum number of characters: enough for one or two sentences.
    package static let usualLimit = 300

    fileprivate private(set) var text = ""
    private var left: Int

    fileprivate init(limit: Int) { left = limit }

    /// - Returns: `false` if there is no room for the scalar.
    fileprivate mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard makeRoom() else { return false }
        switch scalar {
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        default:
            if Self.showsItself(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return true
    }

    fileprivate mutating func take(invalid bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes {
            guard makeRoom() else { return false }
            text += "\\x\(String(byte, radix: 16, uppercase: true))"
        }
        return true
    }

    private mutating func makeRoom() -> Bool {
        left -= 1
        if left == -1 { text += "…" }
        return left >= 0
    }

    private static func showsItself(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
