/// RFC 3986 §2.1, as used in queries and forms.
package enum PercentCoding {
    /// Returns `nil` if a `%` is not followed by two hex digits.
    /// - Parameter plusIsSpace: Whether a plus sign means a space, as in forms. The SDKs write `%20` instead;
    ///   other clients might not.
    package static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        return append(text, plusIsSpace: plusIsSpace, to: &bytes) ? bytes : nil
    }

    /// - Returns: `false` if a `%` is not followed by two hex digits. In that case, the text before the `%`
    ///   has been appended.
    static func append(_ text: ArraySlice<UInt8>, plusIsSpace: Bool, to bytes: inout [UInt8]) -> Bool {
        var at = text.startIndex
        while at < text.endIndex {
            let byte = text[at]
            at += 1
            switch byte {
            case UInt8(ascii: "%"):
                guard text.endIndex - at >= 2, let high = hexDigit(text[at]), let low = hexDigit(text[at + 1])
                else { return false }
                bytes.append(high << 4 | low)
                at += 2
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return true
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
