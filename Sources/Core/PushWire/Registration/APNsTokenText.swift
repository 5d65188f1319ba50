/// An APNs device token as text: hex digits, two per byte. Apple advises against assuming a length.
///
/// Apps that were written for iOS 12 and earlier often send the description of the token's data, such as
/// `<aabbccdd 00112233>`, and some of them omit the angle brackets. Such a description is read as the hex
/// token that it contains.
package enum APNsTokenText {
    package static let maximumCharacters = 200

    /// Returns the token in lower case, as the SDK sends it and the store keeps it, or `nil` if the text is
    /// not a token.
    package static func canonical(_ text: String) -> String? {
        switch check(text.utf8.span) {
        case .canonical: text
        case .respelled: String(decoding: digits(of: Array(text.utf8)), as: UTF8.self).lowercased()
        case .invalid: nil
        }
    }

    package enum Form: Equatable {
        case canonical
        /// Valid, but with upper-case digits, or as a description of data.
        case respelled
        case invalid
    }

    package static func check(_ bytes: borrowing Span<UInt8>) -> Form {
        var form = Form.canonical
        var digits = 0
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): digits += 1
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                digits += 1
                form = .respelled
            case UInt8(ascii: " ") where index > 0 && index < bytes.count - 1: form = .respelled
            case UInt8(ascii: "<") where index == 0 && bytes[bytes.count - 1] == UInt8(ascii: ">"),
                UInt8(ascii: ">") where index == bytes.count - 1 && bytes[0] == UInt8(ascii: "<"):
                form = .respelled
            default: return .invalid
            }
        }
        return digits >= 2 && digits <= maximumCharacters && digits % 2 == 0 ? form : .invalid
    }

    /// Returns the digits of a text that ``check(_:)`` accepted.
    private static func digits(of bytes: [UInt8]) -> [UInt8] {
        bytes.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    }
}
