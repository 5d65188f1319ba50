/// Reads the UTF-8 bytes of a text that is spelled as in a JSON string, one after the other and without
/// allocation. It is valid only during the call that receives its bytes.
@safe struct EscapedText {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// The rest of the last escape.
    private var pending = UTF8.EncodedScalar()

    /// Unsafe because only the caller knows the bytes. All reads are within them.
    @unsafe init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    /// Returns the next byte; `nil` at the end.
    mutating func next() -> UInt8? {
        if !pending.isEmpty { return pending.removeFirst() }
        guard unsafe position < bytes.count else { return nil }
        let byte = unsafe bytes[position]
        position += 1
        guard byte == UInt8(ascii: "\\"), unsafe position < bytes.count else { return byte }
        let escape = unsafe bytes[position]
        position += 1
        switch escape {
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "u"):
            pending = UTF8.encode(scalar()) ?? UTF8.encodedReplacementCharacter
            return pending.removeFirst()
        default: return escape
        }
    }

    /// Reads the rest of an escape whose `\u` was read. A surrogate without its counterpart, and an escape
    /// without four digits, count as U+FFFD.
    private mutating func scalar() -> Unicode.Scalar {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        guard let unit = codeUnit(at: position) else { return replacement }
        position += 4
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, unsafe position + 6 <= bytes.count,
            unsafe bytes[position] == UInt8(ascii: "\\"), unsafe bytes[position + 1] == UInt8(ascii: "u"),
            let low = codeUnit(at: position + 2), (0xDC00..<0xE000).contains(low)
        else { return replacement }
        position += 6
        return Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? replacement
    }

    private func codeUnit(at start: Int) -> UInt32? {
        guard unsafe start + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for index in start..<start + 4 {
            let byte = unsafe bytes[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt32(byte - 0x30)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt32(byte - 0x37)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt32(byte - 0x57)
            default: return nil
            }
        }
        return unit
    }
}
