/// Writes an id directly into a buffer, for the hot path. All other code uses ``OpaqueID/text``, which gives
/// the same text.
extension OpaqueID {
    /// The length of the 8-4-4-4-12 form, in bytes.
    package static var textBytes: Int { 36 }

    /// Writes the lower-case 8-4-4-4-12 form.
    ///
    /// - Parameter pointer: Room for ``textBytes`` bytes, with any alignment.
    @inlinable
    package func write(to pointer: UnsafeMutableRawPointer) {
        // Unsafe, because only the caller knows the buffer. Every write below ends within its 36 bytes.
        let second = Self.digits(UInt32(truncatingIfNeeded: high))
        let third = Self.digits(UInt32(truncatingIfNeeded: low >> 32))
        unsafe pointer.storeBytes(
            of: Self.digits(UInt32(truncatingIfNeeded: high >> 32)).bigEndian, as: UInt64.self)
        unsafe pointer.storeBytes(of: Self.hyphen, toByteOffset: 8, as: UInt8.self)
        unsafe pointer.storeBytes(
            of: UInt32(truncatingIfNeeded: second >> 32).bigEndian, toByteOffset: 9, as: UInt32.self)
        unsafe pointer.storeBytes(of: Self.hyphen, toByteOffset: 13, as: UInt8.self)
        unsafe pointer.storeBytes(
            of: UInt32(truncatingIfNeeded: second).bigEndian, toByteOffset: 14, as: UInt32.self)
        unsafe pointer.storeBytes(of: Self.hyphen, toByteOffset: 18, as: UInt8.self)
        unsafe pointer.storeBytes(
            of: UInt32(truncatingIfNeeded: third >> 32).bigEndian, toByteOffset: 19, as: UInt32.self)
        unsafe pointer.storeBytes(of: Self.hyphen, toByteOffset: 23, as: UInt8.self)
        unsafe pointer.storeBytes(
            of: UInt32(truncatingIfNeeded: third).bigEndian, toByteOffset: 24, as: UInt32.self)
        unsafe pointer.storeBytes(
            of: Self.digits(UInt32(truncatingIfNeeded: low)).bigEndian, toByteOffset: 28, as: UInt64.self)
    }

    @usableFromInline
    static var hyphen: UInt8 { UInt8(ascii: "-") }

    /// Returns the eight hex digits of a word as eight bytes, with the first digit in the highest byte. All
    /// eight are computed together: the nibbles are spread to bytes, `0` is added to each byte, and the
    /// digits above nine are shifted from the characters after `9` to those from `a`.
    @inlinable
    static func digits(_ word: UInt32) -> UInt64 {
        var nibbles = UInt64(word)
        nibbles = (nibbles & 0xFFFF_0000) << 16 | nibbles & 0xFFFF
        nibbles = nibbles << 8 & 0x00FF_0000_00FF_0000 | nibbles & 0x0000_00FF_0000_00FF
        nibbles = nibbles << 4 & 0x0F00_0F00_0F00_0F00 | nibbles & 0x000F_000F_000F_000F
        let aboveNine = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ aboveNine &* 39
    }
}
