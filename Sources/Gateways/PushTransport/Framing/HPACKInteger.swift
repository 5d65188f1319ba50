/// HPACK integers (RFC 7541, 5.1), which share their first byte with a pattern.
package enum HPACKInteger {
    /// The maximum number of bytes for an integer below 2^31.
    package static let maxBytes = 6

    /// - Parameters:
    ///   - pattern: The bits of the first byte that precede the integer.
    ///   - prefix: The number of bits of the first byte that belong to the integer, 1 to 8.
    package static func append(
        _ value: Int, prefix: Int, pattern: UInt8 = 0, to bytes: inout [UInt8]
    ) {
        let most = (1 << prefix) - 1
        guard value >= most else { return bytes.append(pattern | UInt8(value)) }
        bytes.append(pattern | UInt8(most))
        var rest = value - most
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Returns the number of bytes that encode the length of a string (RFC 7541, 5.2).
    @inline(__always)
    static func lengthBytes(_ length: Int) -> Int {
        if length < 127 { return 1 }
        var bytes = 2
        var rest = (length - 127) >> 7
        while rest > 0 {
            bytes += 1
            rest >>= 7
        }
        return bytes
    }

    /// Writes the length of a string that is not Huffman-coded, in ``lengthBytes(_:)`` bytes.
    @inline(__always)
    static func writeLength(_ length: Int, to memory: UnsafeMutableRawPointer) -> Int {
        guard length >= 127 else {
            memory.storeBytes(of: UInt8(length), as: UInt8.self)
            return 1
        }
        memory.storeBytes(of: 127, as: UInt8.self)
        var rest = length - 127
        var count = 1
        while rest >= 0x80 {
            memory.storeBytes(of: UInt8(rest & 0x7F) | 0x80, toByteOffset: count, as: UInt8.self)
            rest >>= 7
            count += 1
        }
        memory.storeBytes(of: UInt8(rest), toByteOffset: count, as: UInt8.self)
        return count + 1
    }
}
