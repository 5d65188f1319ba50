@_spi(_Unicode) internal import Swift

/// The name with which a person signs in.
///
/// The text is in Unicode's normalization form C. People are compared without regard to upper and lower case.
package struct PersonName: Equatable, Sendable {
    package static let maximumBytes = 128
    package static let allowed =
        """
        letters, digits, '.', '_', '-' and '@', beginning with a letter or digit, at most \(maximumBytes) bytes
        """

    package let text: String
    /// The form in which names are compared.
    package let key: String

    /// - Returns: `nil` if the text is not a name.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes * 2 else { return nil }
        let normal = Self.normalized(text)
        guard (1...Self.maximumBytes).contains(normal.utf8.count),
            normal.unicodeScalars.allSatisfy(Self.isAllowed),
            let first = normal.unicodeScalars.first, Self.isAllowed(first), !Self.isMark(first),
            !".-_@".unicodeScalars.contains(first)
        else { return nil }
        self.text = normal
        key = Self.normalized(normal.lowercased())
    }

    /// Returns a text in Unicode's normalization form C.
    package static func normalized(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return String(String.UnicodeScalarView(text._nfc))
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return switch Character(scalar) {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", "@": true
            default: false
            }
        }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber: true
        default: isMark(scalar)
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark].contains(scalar.properties.generalCategory)
    }
}
