/// The spelling of texts in a URL (RFC 3986, 2.1).
package enum PercentEncoding {
    /// Reports whether a byte is not encoded: letters, digits and `-._~` (RFC 3986, 2.3).
    @inlinable
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Returns the hex digit, in upper case, for a number from 0 to 15.
    @inlinable
    package static func hexDigit(_ number: UInt8) -> UInt8 { number < 10 ? 0x30 + number : 0x37 + number }

    /// Returns the text with all bytes encoded that are not unreserved.
    package static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
