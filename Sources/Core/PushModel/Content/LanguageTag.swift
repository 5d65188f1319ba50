/// A language in BCP 47 form: `fr`, `pt-BR`, `zh-Hans-CN`. Differences in spelling are ignored: `PT_br` is
/// `pt-BR`.
package struct LanguageTag: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The tag with hyphens and the usual case, such as `zh-Hans-CN`.
    package let text: String

    /// Maximum length of an accepted tag, in bytes (RFC 5646, 4.4.1).
    package static let maximumBytes = 35

    /// `nil` if the text is not a language tag.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let parts = text.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard let language = parts.first, (2...8).contains(language.count),
            language.allSatisfy(Self.isLetter),
            parts.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(Self.isLetterOrDigit) })
        else { return nil }
        self.text = parts.enumerated().map { index, part in
            let part = Substring(part).lowercased()
            // After the language, four letters are a script and two are a region (RFC 5646, 2.1.1).
            guard index > 0 else { return part }
            return switch part.utf8.count {
            case 2: part.uppercased()
            case 4 where part.utf8.allSatisfy(Self.isLetter): part.prefix(1).uppercased() + part.dropFirst()
            default: part
            }
        }.joined(separator: "-")
    }

    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= byte | 0x20
    }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte
    }
}
