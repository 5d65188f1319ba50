/// A device token of APNs as text: hex digits, two a byte. Apple says not to assume a length.
package enum APNsTokenText {
    package static let maximumCharacters = 200

    /// The token in lower case, as the SDK sends it and the store keeps it; nil where it is none.
    package static func canonical(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        return switch check(bytes.span) {
        case .canonical: text
        case .upperCase: text.lowercased()
        case .invalid: nil
        }
    }

    enum Form: Equatable {
        case canonical
        /// Valid, but with upper-case digits.
        case upperCase
        case invalid
    }

    static func check(_ bytes: borrowing Span<UInt8>) -> Form {
        guard bytes.count >= 2, bytes.count <= maximumCharacters, bytes.count % 2 == 0 else {
            return .invalid
        }
        var form = Form.canonical
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): break
            case UInt8(ascii: "A")...UInt8(ascii: "F"): form = .upperCase
            default: return .invalid
            }
        }
        return form
    }
}
