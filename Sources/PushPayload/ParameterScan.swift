/// Finds parameters in a JSON object of strings, as the store has it, without making anything of it; or in several,
/// one behind the other, of which the last that has a parameter says it.
///
/// What is no such object, from there on, has no parameters: a template that wants one says so. Values are
/// lent as they are spelled, which is how a JSON string wants them. Lives as long as the call that gets the
/// bytes, and looks at no other ones.
@safe
struct ParameterScan {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    @unsafe init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    /// - Parameters:
    ///   - names: as JSON strings have them between their quotation marks.
    ///   - found: room for as many: where the value of each stands, between its quotation marks. What has
    ///     none is left as it is.
    @unsafe mutating func find(_ names: [[UInt8]], _ found: UnsafeMutableBufferPointer<Range<Int>>) {
        while take(UInt8(ascii: "{")) {
            if take(UInt8(ascii: "}")) { continue }
            repeat {
                guard let key = string(), take(UInt8(ascii: ":")), let value = string() else { return }
                for index in names.indices where isEqual(key, names[index]) { unsafe found[index] = value }
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { return }
        }
    }

    /// Passes over space, and over this byte where it is the next.
    private mutating func take(_ byte: UInt8) -> Bool {
        passSpace()
        guard unsafe position < bytes.count, unsafe bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func passSpace() {
        while unsafe position < bytes.count {
            switch unsafe bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// What the next string has between its quotation marks; nil where there is none, or no end of it.
    private mutating func string() -> Range<Int>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while unsafe position < bytes.count {
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

    private func isEqual(_ range: Range<Int>, _ name: [UInt8]) -> Bool {
        guard range.count == name.count else { return false }
        return unsafe name.elementsEqual(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}

/// What a message's parameters say to a template's names. Lives as long as the call that gets bytes and ranges.
@safe
struct ParameterValues {
    private let bytes: UnsafeRawBufferPointer
    private let ranges: UnsafeMutableBufferPointer<Range<Int>>

    /// - Parameter ranges: of the bytes, one for each name; empty ones are of parameters that are not there.
    @unsafe init(_ bytes: UnsafeRawBufferPointer, _ ranges: UnsafeMutableBufferPointer<Range<Int>>) {
        unsafe self.bytes = bytes
        unsafe self.ranges = ranges
    }

    func has(_ name: Int) -> Bool { unsafe !ranges[name].isEmpty }

    @unsafe subscript(_ name: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[ranges[name]])
    }

    /// Whether there is a value other than `0` and `false`.
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
