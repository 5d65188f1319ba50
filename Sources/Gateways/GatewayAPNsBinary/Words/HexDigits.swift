/// Conversion between hexadecimal digits and bytes, eight digits at a time where speed matters.
@usableFromInline
enum HexDigits {
    /// Reads `2 × bytes` digits of either case and writes their values; returns `false` if a character is not
    /// a digit.
    @inlinable
    @unsafe static func decode(_ digits: UnsafeRawPointer, bytes: Int, to target: UnsafeMutableRawPointer)
        -> Bool
    {
        var position = 0
        // Unsafe because only the caller knows the buffers: reads end at `2 × bytes`, stores at `bytes`.
        while position + 4 <= bytes {
            let text = unsafe UInt64(
                bigEndian: digits.loadUnaligned(fromByteOffset: 2 * position, as: UInt64.self))
            if let four = fourBytes(of: text) {
                unsafe target.storeBytes(of: four.bigEndian, toByteOffset: position, as: UInt32.self)
            } else {
                for place in position..<position + 4 {
                    guard unsafe decodeOne(digits, at: place, to: target) else { return false }
                }
            }
            position += 4
        }
        while position < bytes {
            guard unsafe decodeOne(digits, at: position, to: target) else { return false }
            position += 1
        }
        return true
    }

    /// Returns the value of eight lower-case digits, the first in the highest byte; `nil` if a character is
    /// not a digit. To detect such a character, the values are converted back to digits and compared.
    @inlinable
    static func fourBytes(of text: UInt64) -> UInt32? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A letter has bit 6 set, and its low nibble is its position in the alphabet, beginning with 1.
        let values = (text & (0x0F &* ones)) &+ 9 &* (text >> 6 & ones)
        let areLetters = (values &+ 6 &* ones) >> 4 & ones
        guard values & (0xF0 &* ones) == 0, values &+ 0x30 &* ones &+ 39 &* areLetters == text else {
            return nil
        }
        let pairs = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
        let quarters = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: quarters | quarters >> 16)
    }

    @inlinable
    @unsafe static func decodeOne(
        _ digits: UnsafeRawPointer, at place: Int, to target: UnsafeMutableRawPointer
    ) -> Bool {
        let high = value(of: unsafe digits.load(fromByteOffset: 2 * place, as: UInt8.self))
        let low = value(of: unsafe digits.load(fromByteOffset: 2 * place + 1, as: UInt8.self))
        guard high < 16, low < 16 else { return false }
        unsafe target.storeBytes(of: high << 4 | low, toByteOffset: place, as: UInt8.self)
        return true
    }

    /// Returns the value of a hexadecimal digit; 255 if the character is not a digit.
    @inlinable
    static func value(of character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: 255
        }
    }

    /// Returns two lower-case digits per byte. Not for the hot path.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
