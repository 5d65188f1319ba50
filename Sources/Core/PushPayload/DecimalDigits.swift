/// Integers as decimal digits, written directly to a buffer.
@usableFromInline
enum DecimalDigits {
    /// Returns the number of bytes that ``write(_:to:)`` writes, including the sign.
    @inlinable
    static func count(of value: Int64) -> Int {
        var rest = value.magnitude
        var count = value < 0 ? 2 : 1
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }

    /// - Parameter pointer: A buffer with room for ``count(of:)`` bytes.
    /// - Returns: The number of bytes written.
    @inlinable
    @unsafe static func write(_ value: Int64, to pointer: UnsafeMutableRawPointer) -> Int {
        let count = count(of: value)
        var position = count
        var rest = value.magnitude
        // Unsafe because only the caller knows the buffer. Digits are written from the last place down, all
        // within `count`.
        repeat {
            position -= 1
            let digit = UInt8(truncatingIfNeeded: rest % 10)
            unsafe pointer.storeBytes(of: UInt8(ascii: "0") + digit, toByteOffset: position, as: UInt8.self)
            rest /= 10
        } while rest > 0
        if value < 0 { unsafe pointer.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self) }
        return count
    }
}
