internal import Glibc

/// Bytes in memory that belongs to another object. They are valid for as long as the request that they are
/// part of.
///
/// Requests are checked without creating a `String` from any part: at 150 000 requests per second, each
/// allocation is noticeable.
package typealias Bytes = UnsafeBufferPointer<UInt8>

extension Bytes {
    static var empty: Bytes { Bytes(start: nil, count: 0) }

    @inline(__always)
    package func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && (count == 0 || memcmp(baseAddress!, text.utf8Start, count) == 0)
    }

    @inline(__always)
    package func equals(_ other: [UInt8]) -> Bool {
        count == other.count
            && other.withUnsafeBufferPointer {
                count == 0 || memcmp(baseAddress!, $0.baseAddress!, count) == 0
            }
    }

    /// Returns the first index of the byte; `nil` if it does not occur.
    @inline(__always)
    package func first(_ byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    /// Returns the bytes from `index` on.
    @inline(__always)
    package func from(_ index: Int) -> Bytes { Bytes(rebasing: self[Swift.min(index, count)...]) }

    @inline(__always)
    package func starts(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && memcmp(baseAddress!, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    package var text: String { String(decoding: self, as: UTF8.self) }

    /// A 64-bit hash that distinguishes byte strings for counting and for caches. The hash is not safe
    /// against deliberately chosen input.
    package var hash64: UInt64 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(count)
        var rest = UnsafeRawBufferPointer(self)
        while rest.count >= 8 {
            hash = Self.mixed(hash ^ rest.loadUnaligned(as: UInt64.self))
            rest = UnsafeRawBufferPointer(rebasing: rest[8...])
        }
        var last: UInt64 = 0
        for byte in rest { last = last << 8 | UInt64(byte) }
        return Self.mixed(hash ^ last)
    }

    @inline(__always)
    package static func mixed(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

extension UInt8 {
    /// Whether this is an ASCII letter or digit.
    var isLetterOrDigit: Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= self || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self & ~0x20
    }
}

/// Hexadecimal digits and the canonical text of a UUID.
package enum Hex {
    /// The value of each byte as a hexadecimal digit; 255 if the byte is not such a digit.
    private static let values = (UInt8.min...UInt8.max).map { byte in
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) ?? 255
    }
    private static let digits: StaticString = "0123456789abcdef"

    package static func value(of byte: UInt8) -> UInt8? {
        let value = values[Int(byte)]
        return value == 255 ? nil : value
    }

    /// Reports whether all bytes are hexadecimal digits and their number is even.
    package static func isWhole(_ bytes: Bytes) -> Bool {
        guard bytes.count & 1 == 0 else { return false }
        var worst: UInt8 = 0
        values.withUnsafeBufferPointer { table in
            for byte in bytes { worst |= table[Int(byte)] }
        }
        return worst < 16
    }

    /// Returns the bytes that the digits represent; `nil` if they are not hexadecimal digits or their number
    /// is odd.
    package static func bytes(_ digits: Substring) -> [UInt8]? {
        let nibbles = digits.utf8.compactMap(value(of:))
        guard nibbles.count == digits.utf8.count, nibbles.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    /// Writes two digits for each byte, and returns the digits.
    package static func write(_ bytes: Bytes, to start: UnsafeMutablePointer<UInt8>) -> Bytes {
        let digits = digits.utf8Start
        for (index, byte) in bytes.enumerated() {
            start[2 * index] = digits[Int(byte >> 4)]
            start[2 * index + 1] = digits[Int(byte & 15)]
        }
        return Bytes(start: start, count: 2 * bytes.count)
    }

    /// Returns the 128 bits of a canonical UUID: 8-4-4-4-12 lower-case digits, as Apple expects `apns-id`.
    /// Returns `nil` if the bytes are not a canonical UUID.
    package static func uuid(_ bytes: Bytes) -> (high: UInt64, low: UInt64)? {
        guard bytes.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var worst: UInt8 = 0
        values.withUnsafeBufferPointer { table in
            for position in 0..<36 {
                let byte = bytes[position]
                if position == 8 || position == 13 || position == 18 || position == 23 {
                    if byte != UInt8(ascii: "-") { worst = 255 }
                    continue
                }
                let value = table[Int(byte)]
                // Upper-case letters are 0x41 to 0x46. Digits and lower-case letters have bit 5 set.
                worst |= value | (byte & 0x20 == 0 ? 255 : 0)
                words = (words.0 << 4 | words.1 >> 60, words.1 << 4 | UInt64(value & 15))
            }
        }
        return worst < 16 ? words : nil
    }

    /// Writes the canonical text of a UUID, 36 bytes.
    package static func write(uuid: (high: UInt64, low: UInt64), to bytes: UnsafeMutablePointer<UInt8>) {
        var at = 0
        for nibble in 0..<32 {
            if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
                bytes[at] = UInt8(ascii: "-")
                at += 1
            }
            let word = nibble < 16 ? uuid.high : uuid.low
            bytes[at] = digits.utf8Start[Int(truncatingIfNeeded: word >> UInt64(60 - (nibble & 15) * 4)) & 15]
            at += 1
        }
    }
}
