/// Characters by what XML 1.0 (fifth edition) allows them to be.
enum XMLCharacters {
    /// §2.2, production 2: what may stand in a document at all.
    static func isAllowed(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }

    /// §2.3, production 3.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
    static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        UInt8(exactly: scalar.value).map(isBlank) ?? false
    }

    /// §2.3, production 4. Colons are letters as others: nothing here has namespaces.
    static func startsName(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x3A, 0x41...0x5A, 0x5F, 0x61...0x7A: true  // : A-Z _ a-z
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D,
            0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x1_0000...0xE_FFFF:
            true
        default: false
        }
    }

    /// §2.3, production 4a.
    static func continuesName(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true  // - . 0-9
        default: startsName(scalar)
        }
    }

    /// §4.6: the only entities that there are without a declaration.
    static func predefined(_ name: ArraySlice<UInt8>) -> UInt8? {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": UInt8(ascii: "&")
        case "lt": UInt8(ascii: "<")
        case "gt": UInt8(ascii: ">")
        case "quot": UInt8(ascii: "\"")
        case "apos": UInt8(ascii: "'")
        default: nil
        }
    }
}
