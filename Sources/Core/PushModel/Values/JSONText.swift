/// Strings in JSON syntax (RFC 8259 §7). Characters are escaped only if necessary; all others stay UTF-8.
package enum JSONText {
    /// Appends `text` with its quotation marks.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { appendEscaped(byte, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends one byte of a UTF-8 text, escaped if a JSON string cannot contain it.
    @inlinable
    package static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            bytes.append(byte)
        } else {
            appendEscape(of: byte, to: &bytes)
        }
    }

    @usableFromInline
    static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            let low = byte & 15
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") - 10 + low)
        }
    }
}
