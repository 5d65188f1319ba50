internal import PushModel

/// Finds places at which a JSON string can be cut without dividing a character or an escape. A character is
/// what readers perceive as one (a grapheme cluster), such as a letter with its accents or a family emoji.
enum TextCut {
    /// Returns the size of the longest prefix of a JSON string, between its quotation marks, that has at most
    /// the given number of bytes and ends between two characters.
    static func size(of escaped: ArraySlice<UInt8>, atMost limit: Int) -> Int {
        var scalars = String.UnicodeScalarView()
        var sizes: [Int] = []
        var at = escaped.startIndex
        while at < escaped.endIndex {
            let (scalar, size) = next(escaped[at...])
            scalars.append(scalar)
            sizes.append(size)
            at += size
        }
        var (size, index) = (0, 0)
        for character in String(scalars) {
            let end = index + character.unicodeScalars.count
            let more = sizes[index..<end].reduce(0, +)
            guard size + more <= limit else { break }
            (size, index) = (size + more, end)
        }
        return size
    }

    /// Returns the longest prefix of a text that has at most the given number of bytes as a JSON string and
    /// ends between two characters.
    static func prefix(of text: String, atMost limit: Int) -> String {
        var size = 0
        let end = text.indices.first { index in
            size += EscapedBytes.of(String(text[index])).count
            return size > limit
        }
        return String(text[..<(end ?? text.endIndex)])
    }

    /// Returns the first scalar and the number of bytes that spell it. Bytes that no encoder writes count as
    /// a separate character.
    private static func next(_ bytes: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, size: Int) {
        if bytes.first == UInt8(ascii: "\\") { return escape(bytes) }
        var rest = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        switch parser.parseScalar(from: &rest) {
        case .valid(let encoded): return (Unicode.UTF8.decode(encoded), encoded.count)
        case .error(let length): return ("\u{FFFD}", max(length, 1))
        case .emptyInput: return ("\u{FFFD}", 1)
        }
    }

    private static func escape(_ bytes: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, size: Int) {
        let start = bytes.startIndex
        guard bytes.count >= 2 else { return ("\u{FFFD}", 1) }
        guard bytes[start + 1] == UInt8(ascii: "u"), let unit = codeUnit(bytes[start...]) else {
            switch bytes[start + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
                return (Unicode.Scalar(bytes[start + 1]), 2)
            case UInt8(ascii: "r"): return ("\r", 2)
            // Other control characters do not join with a neighbour, either.
            default: return ("\n", 2)
            }
        }
        guard (0xD800..<0xDC00).contains(unit), let low = codeUnit(bytes[(start + 6)...]),
            (0xDC00..<0xE000).contains(low)
        else { return (Unicode.Scalar(unit) ?? "\u{FFFD}", 6) }
        return (Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}", 12)
    }

    /// Returns the code unit if the text begins with `\u` and four hexadecimal digits; otherwise `nil`.
    private static func codeUnit(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        guard bytes.starts(with: "\\u".utf8), bytes.count >= 6 else { return nil }
        return UInt32(String(decoding: bytes.dropFirst(2).prefix(4), as: UTF8.self), radix: 16)
    }
}

/// The places of the texts that may be cut in a rendered payload, between their quotation marks.
struct TextEdges {
    /// The places of each ``TextEdge``; -1 if the payload has no such text.
    private var places: (Int, Int, Int, Int) = (-1, -1, -1, -1)

    @inline(__always)
    mutating func note(_ edge: TextEdge, at place: Int) {
        switch edge {
        case .bodyStart: places.0 = place
        case .bodyEnd: places.1 = place
        case .titleStart: places.2 = place
        case .titleEnd: places.3 = place
        }
    }

    /// Cuts the body and, if that is not enough, the title, until the given number of bytes is removed.
    /// - Returns: `false` if the texts are not long enough, or if nothing would be left of them.
    func cut(_ excess: Int, from payload: inout [UInt8]) -> Bool {
        var left = excess
        // The later text is cut first, so that the place of the earlier text stays valid.
        var cuts: [Range<Int>] = []
        var kept = 0
        for (start, end) in [(places.0, places.1), (places.2, places.3)] where start >= 0 && end >= start {
            let size =
                left > 0
                ? TextCut.size(of: payload[start..<end], atMost: max(end - start - left, 0)) : end - start
            kept += size
            left -= end - start - size
            cuts.append(start + size..<end)
        }
        guard left <= 0, kept > 0 else { return false }
        for range in cuts.sorted(by: { $0.lowerBound > $1.lowerBound }) { payload.removeSubrange(range) }
        return true
    }
}

/// The beginning or the end of a text that may be cut.
@usableFromInline
package enum TextEdge: Equatable, Sendable {
    case bodyStart, bodyEnd, titleStart, titleEnd

    package static let body = (start: TextEdge.bodyStart, end: TextEdge.bodyEnd)
    package static let title = (start: TextEdge.titleStart, end: TextEdge.titleEnd)
}
