/// Encodings that are read: supersets of ASCII.
enum XMLEncoding: Equatable {
    case utf8
    /// windows-1252, by the WHATWG's Encoding Standard, which also reads ISO-8859-1 so: Campaign's files
    /// declare that.
    case windows1252

    init?(name: String) {
        switch name.lowercased() {
        case "utf-8", "utf8", "us-ascii", "ascii": self = .utf8
        case "iso-8859-1", "windows-1252": self = .windows1252
        default: return nil
        }
    }

    /// windows-1252 → UTF-8.
    static func utf8(fromWindows1252 bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            switch byte {
            case 0x80...0x9F: append(upperControls[Int(byte) - 0x80], to: &text)
            case 0xA0...: append(UInt16(byte), to: &text)
            default: text.append(byte)
            }
        }
        return text
    }

    private static func append(_ unit: UInt16, to text: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(unit) else { return }
        text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }

    /// The Encoding Standard's index windows-1252, its first 32.
    private static let upperControls: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152,
        0x008D,
        0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
        0x0161,
        0x203A,
        0x0153, 0x009D, 0x017E, 0x0178,
    ]
}
