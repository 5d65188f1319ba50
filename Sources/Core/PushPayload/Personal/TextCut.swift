internal import PushModel

/// Where a JSON string can be cut, so that no character and no escape is divided: a character is what readers see as
/// one (a grapheme cluster), such as a letter with its accents or a family emoji.
enum TextCut {
    /// The size of the longest prefix of what a JSON string has between its quotation marks that has at most so many
    /// bytes and ends between two characters.
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

    /// The longest prefix of a text that has at most so many bytes as a JSON string and ends between two characters.
    static func prefix(of text: String, atMost limit: Int) -> String {
        var size = 0
        let end = text.indices.first { index in
            size += EscapedBytes.of(String(text[index])).count
            return size > limit
        }
        return String(text[..<(end ?? text.endIndex)])
    }

    /// The first scalar and the bytes that spell it. What no encoder writes counts as a character of its own.
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
            // Other controls join no neighbour, either.
            default: return ("\n", 2)
            }
        }
        guard (0xD800..<0xDC00).contains(unit), let low = codeUnit(bytes[(start + 6)...]),
            (0xDC00..<0xE000).contains(low)
        else { return (Unicode.Scalar(unit) ?? "\u{FFFD}", 6) }
        return (Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}", 12)
    }

    /// What `\uXXXX` at the beginning says; nil if there is none.
    private static func codeUnit(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        guard bytes.starts(with: "\\u".utf8), bytes.count >= 6 else { return nil }
        return UInt32(String(decoding: bytes.dropFirst(2).prefix(4), as: UTF8.self), radix: 16)
    }
}

/// Where the texts that may be cut stand in a rendered payload, between their quotation marks.
struct TextEdges {
    /// Places of ``TextEdge``; -1: the payload has no such text.
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

    /// Cuts the body, and the title if that is not enough, until so many bytes are gone.
    /// - Returns: false if the texts are not long enough, or nothing of them would be left.
    func cut(_ excess: Int, from payload: inout [UInt8]) -> Bool {
        var left = excess
        // A text behind another one is cut first, so that the other's place stays.
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

/// Where a text begins or ends that may be cut.
@usableFromInline
package enum TextEdge: Equatable, Sendable {
    case bodyStart, bodyEnd, titleStart, titleEnd

    package static let body = (start: TextEdge.bodyStart, end: TextEdge.bodyEnd)
    package static let title = (start: TextEdge.titleStart, end: TextEdge.titleEnd)
}
