/// A position in the text of a JSON document. It is for documents that are read so often that parsing them
/// into values would cost more than using the values. If the cursor cannot skip a text, the text is not JSON.
package struct JSONCursor {
    package private(set) var position = 0

    /// Maximum nesting depth. None of our documents is nested more deeply.
    private static let maximumDepth = 64

    package init() {}

    /// Reports whether only space is left.
    package mutating func isAtEnd(of json: Span<UInt8>) -> Bool {
        skipSpace(json)
        return position == json.count
    }

    /// Skips white space, and then this byte if it is next.
    /// - Returns: `true` if the byte was next.
    package mutating func take(_ byte: UInt8, in json: Span<UInt8>) -> Bool {
        skipSpace(json)
        guard position < json.count, json[position] == byte else { return false }
        position += 1
        return true
    }

    /// Reports whether a string begins next.
    package mutating func isAtText(in json: Span<UInt8>) -> Bool {
        skipSpace(json)
        return position < json.count && json[position] == UInt8(ascii: "\"")
    }

    /// Reads a string.
    /// - Parameter text: The contents of the string are appended, as UTF-8.
    /// - Returns: `true` if there was a string. Otherwise the appended bytes have no meaning.
    package mutating func text(in json: Span<UInt8>, to text: inout [UInt8]) -> Bool {
        guard take(UInt8(ascii: "\""), in: json) else { return false }
        while position < json.count {
            let byte = json[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard escape(in: json, to: &text) else { return false }
            case 0..<0x20: return false
            default: text.append(byte)
            }
        }
        return false
    }

    /// Skips one value of any kind.
    /// - Parameter scratch: A buffer that is used for texts and restored before the function returns.
    package mutating func skipValue(in json: Span<UInt8>, _ scratch: inout [UInt8]) -> Bool {
        skipValue(in: json, &scratch, depth: 0)
    }

    // MARK: - Inside

    private mutating func skipSpace(_ json: Span<UInt8>) {
        while position < json.count {
            switch json[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Reads an escape sequence after its backslash.
    private mutating func escape(in json: Span<UInt8>, to text: inout [UInt8]) -> Bool {
        guard position < json.count else { return false }
        let byte = json[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "u"):
            guard let unit = codeUnit(in: json) else { return false }
            text.append(
                contentsOf: UTF8.encode(scalar(from: unit, in: json)) ?? UTF8.encodedReplacementCharacter)
        default: return false
        }
        return true
    }

    /// Reads four hex digits.
    private mutating func codeUnit(in json: Span<UInt8>) -> UInt32? {
        guard json.count - position >= 4 else { return nil }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            let byte = json[position]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    /// Returns the character that begins with this unit, including the next unit if the two units are a
    /// surrogate pair. An unpaired surrogate becomes the replacement character.
    private mutating func scalar(from unit: UInt32, in json: Span<UInt8>) -> Unicode.Scalar {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) ?? replacement }
        let start = position
        guard json.count - position >= 6, json[position] == UInt8(ascii: "\\"),
            json[position + 1] == UInt8(ascii: "u")
        else { return replacement }
        position += 2
        guard let low = codeUnit(in: json), (0xDC00..<0xE000).contains(low) else {
            position = start
            return replacement
        }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? replacement
    }

    private mutating func skipValue(in json: Span<UInt8>, _ scratch: inout [UInt8], depth: Int) -> Bool {
        guard depth < Self.maximumDepth else { return false }
        if isAtText(in: json) {
            let length = scratch.count
            defer { scratch.removeSubrange(length...) }
            return text(in: json, to: &scratch)
        }
        if take(UInt8(ascii: "["), in: json) {
            if take(UInt8(ascii: "]"), in: json) { return true }
            repeat {
                guard skipValue(in: json, &scratch, depth: depth + 1) else { return false }
            } while take(UInt8(ascii: ","), in: json)
            return take(UInt8(ascii: "]"), in: json)
        }
        if take(UInt8(ascii: "{"), in: json) {
            if take(UInt8(ascii: "}"), in: json) { return true }
            repeat {
                guard isAtText(in: json), skipValue(in: json, &scratch, depth: depth + 1),
                    take(UInt8(ascii: ":"), in: json), skipValue(in: json, &scratch, depth: depth + 1)
                else { return false }
            } while take(UInt8(ascii: ","), in: json)
            return take(UInt8(ascii: "}"), in: json)
        }
        return skipWord(in: json)
    }

    /// Skips a number, `true`, `false` or `null`.
    private mutating func skipWord(in json: Span<UInt8>) -> Bool {
        let start = position
        while position < json.count {
            switch json[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "E"),
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                position += 1
            default:
                return isWord(json, from: start)
            }
        }
        return isWord(json, from: start)
    }

    private func isWord(_ json: Span<UInt8>, from start: Int) -> Bool {
        let word = (start..<position).map { json[$0] }
        let words: [StaticString] = ["true", "false", "null"]
        return words.contains { word.elementsEqual("\($0)".utf8) } || DecimalNumber(word[...]) != nil
    }
}
