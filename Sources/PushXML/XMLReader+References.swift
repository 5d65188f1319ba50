extension XMLReader {
    /// The character that stands behind `&…;`, past it.
    mutating func readReference() throws(XMLTrouble) -> Unicode.Scalar {
        let start = source.at
        source.at += 1
        if source.skip("#") { return try readCharacterReference(from: start) }
        let name = try readName()
        if name.isEmpty {
            throw source.trouble(
                start, "a name is expected after & (the character & itself is written &amp;)")
        }
        guard source.skip(";") else {
            throw source.trouble(start, "an entity without its ';' (the character & itself is written &amp;)")
        }
        guard let byte = XMLCharacters.predefined(name) else {
            throw source.trouble(
                start, "an unknown entity: only &amp; &lt; &gt; &quot; &apos; and &#number; are read")
        }
        return Unicode.Scalar(byte)
    }

    /// `&#` is behind us: XML 1.0 §4.1, production 66.
    private mutating func readCharacterReference(from start: Int) throws(XMLTrouble) -> Unicode.Scalar {
        let base: UInt32 = source.skip("x") ? 16 : 10
        let digits = source.at
        var value: UInt32 = 0
        while let byte = source.peek(), let digit = Self.digit(byte), digit < base {
            // It stays beyond all characters once it is.
            value = min(value * base + digit, 0x11_0000)
            source.at += 1
        }
        guard source.at > digits, source.skip(";") else {
            throw source.trouble(start, "a character reference is incomplete: write &#number; or &#xnumber;")
        }
        guard XMLCharacters.isAllowed(value), let scalar = Unicode.Scalar(value) else {
            throw source.trouble(start, "a character that XML does not allow")
        }
        return scalar
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        default: nil
        }
    }
}
