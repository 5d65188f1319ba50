/// Texts as JSON has them between quotes.
package enum JSONText {
    /// `text` with its quotes.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20:
                result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The text that these bytes between quotes, which are known to be JSON, stand for. Half a surrogate pair
    /// becomes U+FFFD.
    package static func unescaped(_ bytes: Bytes) -> String {
        var units: [UInt16] = []
        var at = 0
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "\\") else {
                let end = bytes[at...].firstIndex(of: UInt8(ascii: "\\")) ?? bytes.count
                units.append(contentsOf: Bytes(rebasing: bytes[at..<end]).text.utf16)
                at = end
                continue
            }
            switch bytes[at + 1] {
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"):
                units.append((2...5).reduce(0) { $0 << 4 | UInt16(Hex.value(of: bytes[at + $1]) ?? 0) })
                at += 4
            default: units.append(UInt16(bytes[at + 1]))
            }
            at += 2
        }
        return String(decoding: units, as: UTF16.self)
    }
}
