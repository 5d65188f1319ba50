/// Numbers encoded as bytes: seven bits per byte, lowest first, where the high bit means that another byte
/// follows (LEB128). Only the shortest form of a number is valid, so equal values have equal bytes.
enum Varint {
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Maps a signed number of small magnitude to a small unsigned one: 0, -1, 1, -2 … become 0, 1, 2, 3 ….
    static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }
    static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}

/// A reader of bytes from an untrusted source.
struct ByteCursor {
    let bytes: [UInt8]
    let piece: PartDamage.Piece
    private(set) var offset = 0

    init(_ bytes: [UInt8], of piece: PartDamage.Piece) {
        self.bytes = bytes
        self.piece = piece
    }

    var isAtEnd: Bool { offset == bytes.count }

    func damage(_ fault: PartDamage.Fault) -> PartDamage { PartDamage(piece, fault, at: offset) }

    /// - Parameter count: At most the number of bytes left.
    mutating func pass(_ count: Int) { offset += count }

    mutating func byte() throws(PartDamage) -> UInt8 {
        guard offset < bytes.count else { throw damage(.truncated) }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number() throws(PartDamage) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            // The tenth byte may contain only the highest bit of the value.
            guard shift < 63 || next <= 1 else { throw damage(.number) }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 {
                guard next != 0 || shift == 0 else { throw damage(.number) }
                return value
            }
            shift += 7
        }
    }
}
