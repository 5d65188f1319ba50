/// Foreign text for a line that somebody reads: in a log, a table, an error. Whatever others chose (a
/// gateway, a token endpoint, a proxy, a file's name or contents) becomes text of bounded length that stays
/// on its line and that no terminal obeys, and what was in it can be seen.
///
/// Line breaks and tabs read `\n`, `\r`, `\t`; what else does not show itself reads `\u{1B}`: control
/// characters (C0, DEL, C1), formats (bidirectional ones among them), separators of lines and paragraphs, and
/// what Unicode has not assigned. Bytes that are no UTF-8 read `\xFF`. Printable ASCII stays as it is, the
/// backslash too: words can be compared afterwards as before.
///
/// Cleaned once, where it enters. What is data (tokens, credentials, ids that are sent again, texts of
/// messages) stays exact and does not come here.
extension StringProtocol {
    /// - Parameter limit: characters (Unicode scalars) that are kept of a longer text; `…` then says that
    ///   there was more.
    package func printable(atMost limit: Int = PrintableText.usualLimit) -> String {
        if utf8.count <= limit, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(self) }
        var shown = PrintableText(limit: limit)
        for scalar in unicodeScalars { guard shown.take(scalar) else { break } }
        return shown.text
    }
}

extension String {
    /// The same of bytes that should be UTF-8, which most often are plain ASCII.
    package init(printable bytes: [UInt8], atMost limit: Int = PrintableText.usualLimit) {
        if bytes.count <= limit, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            self = String(decoding: bytes, as: UTF8.self)
        } else {
            self.init(printable: bytes[...], atMost: limit)
        }
    }

    /// The same of bytes that should be UTF-8.
    package init(printable bytes: some Sequence<UInt8>, atMost limit: Int = PrintableText.usualLimit) {
        // A character more than is kept, so that what is cut off shows.
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

/// Text on its way to a reader.
package struct PrintableText {
    /// A sentence or two.
    package static let usualLimit = 300

    fileprivate private(set) var text = ""
    private var left: Int

    fileprivate init(limit: Int) { left = limit }

    /// - Returns: false where there is no room for it.
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
