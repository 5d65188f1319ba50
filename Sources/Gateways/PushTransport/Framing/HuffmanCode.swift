/// Decoding of HPACK's Huffman code (RFC 7541, 5.2 and appendix B).
///
/// The code is canonical: codes of the same length are consecutive in the order of their symbols, and shorter
/// codes come first. The lengths therefore define the code.
enum HuffmanCode {
    /// The length of each symbol's code, in bits.
    static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28,
        28,
        28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6,
        6,
        6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8,
        7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7,
        7,
        7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23,
        24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21,
        22,
        23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22,
        25,
        26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20,
        24,
        20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27,
        27,
        27, 27, 27, 26,
    ]

    /// Returns the maximum number of decoded bytes for this many coded bytes, plus one byte that
    /// ``decode(_:to:)`` may write beyond the end.
    static func room(forCoded bytes: Int) -> Int { bytes * 8 / 5 + 2 }

    /// Decodes a complete string.
    /// - Parameter target: Memory of at least ``room(forCoded:)`` bytes.
    /// - Returns: The number of decoded bytes; `nil` if the source is not a string of this code.
    static func decode(_ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) -> Int? {
        let pairs = pairs
        // The next bits are the most significant ones.
        var bits: UInt64 = 0
        var present = 0
        var (position, count) = (0, 0)
        while true {
            // The longest code has 30 bits.
            if present < 32 {
                if source.count - position >= 4, let start = source.baseAddress {
                    let word = UnsafeRawPointer(start + position).loadUnaligned(as: UInt32.self)
                    bits |= UInt64(UInt32(bigEndian: word)) << UInt64(32 - present)
                    present += 32
                    position += 4
                } else {
                    while position < source.count {
                        bits |= UInt64(source[position]) << UInt64(56 - present)
                        present += 8
                        position += 1
                    }
                }
            }
            // After the end, virtual 1 bits follow, because the last symbol is padded with 1 bits.
            let entry = pairs[Int((bits | ones(after: present)) >> UInt64(64 - pairBits))]
            if entry.bits > 0, Int(entry.bits) <= present {
                target[count] = entry.first
                target[count + 1] = entry.second
                count += Int(entry.count)
                bits <<= UInt64(entry.bits)
                present -= Int(entry.bits)
            } else if entry.firstBits > 0, Int(entry.firstBits) <= present {
                target[count] = entry.first
                count += 1
                bits <<= UInt64(entry.firstBits)
                present -= Int(entry.firstBits)
            } else if let (symbol, length) = longSymbol(bits, present) {
                target[count] = symbol
                count += 1
                bits <<= UInt64(length)
                present -= length
            } else {
                return present < 8 && bits | ones(after: present) == .max ? count : nil
            }
        }
    }

    @inline(__always)
    private static func ones(after present: Int) -> UInt64 {
        present >= 64 ? 0 : UInt64.max >> UInt64(present)
    }

    // MARK: Tables

    /// The symbols whose codes are at the beginning of ``pairBits`` bits: two symbols if both codes fit,
    /// otherwise one.
    private struct Pair: BitwiseCopyable {
        var first: UInt8 = 0
        var second: UInt8 = 0
        var count: UInt8 = 0
        /// The length of the first symbol's code, in bits; 0 if the code is longer than ``pairBits``.
        var firstBits: UInt8 = 0
        /// The total length of the symbols' codes, in bits.
        var bits: UInt8 = 0
    }

    private static let pairBits = 12

    /// An unsafe pointer, for speed: the table is read for each pair of symbols. No access is out of bounds,
    /// because every index has ``pairBits`` bits. Any thread may read the table, because a
    /// static's initialiser runs once, before the first access, and no code writes or frees it afterwards.
    private nonisolated(unsafe) static let pairs: UnsafePointer<Pair> = {
        let table = UnsafeMutablePointer<Pair>.allocate(capacity: 1 << pairBits)
        for index in 0..<1 << pairBits {
            let bits = UInt64(index) << UInt64(64 - pairBits)
            var pair = Pair()
            if let (symbol, length) = HuffmanCode.symbol(bits, in: 5...pairBits, present: pairBits) {
                (pair.first, pair.count) = (symbol, 1)
                (pair.firstBits, pair.bits) = (UInt8(length), UInt8(length))
                if let (second, more) = HuffmanCode.symbol(
                    bits << UInt64(length), in: 5...pairBits, present: pairBits - length)
                {
                    (pair.second, pair.count, pair.bits) = (second, 2, UInt8(length + more))
                }
            }
            (table + index).initialize(to: pair)
        }
        return UnsafePointer(table)
    }()

    /// For each code length, the first code and the symbols in order.
    private static let codes: [(first: UInt64, symbols: [UInt8])] = {
        var next: UInt64 = 0
        return (0...longest).map { length in
            next <<= 1
            let symbols = (0..<256).filter { Int(lengths[$0]) == length }.map { UInt8($0) }
            defer { next += UInt64(symbols.count) }
            return (next, symbols)
        }
    }()
    private static let longest = 30

    @inline(never)
    private static func longSymbol(_ bits: UInt64, _ present: Int) -> (symbol: UInt8, length: Int)? {
        symbol(bits, in: pairBits + 1...longest, present: present)
    }

    private static func symbol(
        _ bits: UInt64, in range: ClosedRange<Int>, present: Int
    ) -> (symbol: UInt8, length: Int)? {
        for length in range where length <= present {
            let code = bits >> UInt64(64 - length)
            let (first, symbols) = codes[length]
            if code >= first, code - first < UInt64(symbols.count) {
                return (symbols[Int(code - first)], length)
            }
        }
        return nil
    }
}
