/// Finds parameters in a JSON object of strings, in its stored form, without creating any values from it. The
/// bytes may contain several objects, one after the other. If several of them contain the same parameter, the
/// last value applies.
///
/// The search ends at the first text that is not such an object. If a template needs a parameter after this
/// point, the template reports the parameter as missing. Values keep their original spelling, because they
/// are written into JSON strings. The scan is valid only during the call that receives the bytes, and reads
/// no other bytes.
@safe
struct ParameterScan {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    @unsafe init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    /// - Parameters:
    ///   - program: The program whose names are searched for.
    ///   - found: Receives the range of each value, between its quotation marks. It needs room for one range
    ///     per name. The range of a name without a value is not changed.
    @unsafe mutating func find(
        _ program: PersonalProgram, _ found: UnsafeMutableBufferPointer<Range<Int>>
    ) {
        while take(UInt8(ascii: "{")) {
            if take(UInt8(ascii: "}")) { continue }
            repeat {
                guard let key = string(), take(UInt8(ascii: ":")), let value = string() else { return }
                let head = unsafe PersonalProgram.Head.of(bytes, key)
                for index in program.names.indices where program.names[index].head == head {
                    if isEqual(key, program.names[index].bytes, program.texts) { unsafe found[index] = value }
                }
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { return }
        }
    }

    /// Skips white space, and then this byte if it is the next one.
    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        guard unsafe position < bytes.count else { return false }
        // The next byte is usually the expected one. If it is not, it is rarely white space.
        if unsafe bytes[position] != byte {
            guard unsafe bytes[position] <= 0x20 else { return false }
            passSpace()
            guard unsafe position < bytes.count, unsafe bytes[position] == byte else { return false }
        }
        position += 1
        return true
    }

    @inline(never)
    private mutating func passSpace() {
        while unsafe position < bytes.count {
            switch unsafe bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Returns the range of the next string between its quotation marks; `nil` if there is no string, or if
    /// it is not terminated.
    @inline(__always)
    private mutating func string() -> Range<Int>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while unsafe position < bytes.count {
            passPlain()
            guard unsafe position < bytes.count else { return nil }
            switch unsafe bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"): position += 2
            case 0..<0x20: return nil
            default: position += 1
            }
        }
        return nil
    }

    /// Skips bytes without special meaning in a string, eight bytes at a time. A byte of the sum has its
    /// highest bit set if the same byte of the word is a quotation mark, a backslash, or less than a space.
    /// The lowest such bit is correct; those above it may be the result of a carry.
    @inline(__always)
    private mutating func passPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highest = ones << 7
        while unsafe position + 8 <= bytes.count {
            let word = unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let sum =
                (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word
            let marks = sum & highest
            guard marks == 0 else {
                position += marks.trailingZeroBitCount >> 3
                return
            }
            position += 8
        }
    }

    @inline(__always)
    private func isEqual(_ key: Range<Int>, _ name: Range<Int>, _ texts: [UInt8]) -> Bool {
        guard key.count == name.count else { return false }
        // The first eight bytes are known to be equal.
        var offset = 8
        while offset < key.count {
            guard unsafe texts[name.lowerBound + offset] == bytes[key.lowerBound + offset] else {
                return false
            }
            offset += 1
        }
        return true
    }
}

/// The values of a message's parameters for a template's names. It is valid only during the call that
/// receives the bytes and ranges.
@safe
struct ParameterValues {
    private let bytes: UnsafeRawBufferPointer
    private let ranges: UnsafeMutableBufferPointer<Range<Int>>

    /// - Parameter ranges: Ranges within the bytes, one for each name; empty for missing parameters.
    @unsafe init(_ bytes: UnsafeRawBufferPointer, _ ranges: UnsafeMutableBufferPointer<Range<Int>>) {
        unsafe self.bytes = bytes
        unsafe self.ranges = ranges
    }

    func has(_ name: Int) -> Bool { unsafe !ranges[name].isEmpty }

    @unsafe subscript(_ name: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[ranges[name]])
    }

    /// Reports whether there is a value other than `0` and `false`.
    func isOn(_ name: Int) -> Bool {
        let value = unsafe self[name]
        switch value.count {
        case 0: return false
        case 1: return unsafe value[0] != UInt8(ascii: "0")
        case 5: return unsafe !value.elementsEqual("false".utf8)
        default: return true
        }
    }
}
