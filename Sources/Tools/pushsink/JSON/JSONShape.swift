/// States whether bytes are JSON (RFC 8259), and whether they are an object that contains an object `aps`.
package enum JSONShape: Equatable, Sendable {
    case object(hasAPS: Bool)
    /// JSON, but not an object.
    case other
    case malformed

    package init(_ bytes: Bytes) {
        var scanner = JSONScanner(bytes, notes: NoNotes())
        self = scanner?.shape() ?? .malformed
    }
}

/// The receiver of the values that a scanner finds, in their order.
protocol JSONNotes {
    /// Records the beginning of a value. For a text, the beginning is after the opening quote. The scanner
    /// passes the returned number to the receiver again at the end of the value.
    mutating func begin(_ kind: JSONDocument.Kind, at place: UnsafePointer<UInt8>) -> Int
    mutating func end(_ number: Int, at place: UnsafePointer<UInt8>, hasEscapes: Bool)
}

/// A receiver that records nothing, for callers that only need the shape.
private struct NoNotes: JSONNotes {
    @inline(__always)
    func begin(_ kind: JSONDocument.Kind, at place: UnsafePointer<UInt8>) -> Int { 0 }
    @inline(__always)
    func end(_ number: Int, at place: UnsafePointer<UInt8>, hasEscapes: Bool) {}
}

/// Checks the complete grammar in one pass, without building a tree.
struct JSONScanner<Notes: JSONNotes> {
    private var at: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    var notes: Notes
    private var hasAPS = false

    /// Returns `nil` if the bytes are empty or not UTF-8.
    init?(_ bytes: Bytes, notes: Notes) {
        guard let start = bytes.baseAddress, bytes.count > 0, (try? UTF8Span(validating: bytes.span)) != nil
        else { return nil }
        (at, end, self.notes) = (start, start + bytes.count, notes)
    }

    /// Returns the shape. Must be called only once.
    mutating func shape() -> JSONShape {
        skipSpace()
        let isObject = at < end && at.pointee == UInt8(ascii: "{")
        guard value(depth: 1) else { return .malformed }
        skipSpace()
        guard at == end else { return .malformed }
        return isObject ? .object(hasAPS: hasAPS) : .other
    }

    @inline(__always)
    private mutating func skipSpace() {
        while at < end,
            at.pointee == 0x20 || at.pointee == 0x0A || at.pointee == 0x0D || at.pointee == 0x09
        {
            at += 1
        }
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        guard at < end, at.pointee == byte else { return false }
        at += 1
        return true
    }

    /// The nesting depth is limited, so that brackets cannot exhaust the stack.
    private mutating func value(depth: Int) -> Bool {
        guard at < end, depth <= 128 else { return false }
        switch at.pointee {
        case UInt8(ascii: "\""): return text()
        case UInt8(ascii: "{"): return noted(.object) { $0.object(depth) }
        case UInt8(ascii: "["): return noted(.array) { $0.array(depth) }
        case UInt8(ascii: "t"): return noted(.yes) { $0.word("true") }
        case UInt8(ascii: "f"): return noted(.no) { $0.word("false") }
        case UInt8(ascii: "n"): return noted(.null) { $0.word("null") }
        default: return noted(.number) { $0.number() }
        }
    }

    @inline(__always)
    private mutating func noted(_ kind: JSONDocument.Kind, _ read: (inout Self) -> Bool) -> Bool {
        let note = notes.begin(kind, at: at)
        defer { notes.end(note, at: at, hasEscapes: false) }
        return read(&self)
    }

    private mutating func object(_ depth: Int) -> Bool {
        list(to: UInt8(ascii: "}")) { $0.member(depth) }
    }

    private mutating func array(_ depth: Int) -> Bool {
        list(to: UInt8(ascii: "]")) { $0.value(depth: depth + 1) }
    }

    /// Reads elements that are separated by commas, up to the closing bracket.
    @inline(__always)
    private mutating func list(to last: UInt8, _ element: (inout Self) -> Bool) -> Bool {
        at += 1
        skipSpace()
        if take(last) { return true }
        repeat {
            skipSpace()
            guard element(&self) else { return false }
            skipSpace()
        } while take(UInt8(ascii: ","))
        return take(last)
    }

    private mutating func member(_ depth: Int) -> Bool {
        let key = at
        guard at < end, at.pointee == UInt8(ascii: "\""), text() else { return false }
        let isAPS = depth == 1 && Bytes(start: key, count: at - key).equals("\"aps\"")
        skipSpace()
        guard take(UInt8(ascii: ":")) else { return false }
        skipSpace()
        if isAPS, at < end { hasAPS = at.pointee == UInt8(ascii: "{") }
        return value(depth: depth + 1)
    }

    private mutating func text() -> Bool {
        at += 1
        let note = notes.begin(.text, at: at)
        var hasEscapes = false
        while at < end {
            switch at.pointee {
            case UInt8(ascii: "\""):
                notes.end(note, at: at, hasEscapes: hasEscapes)
                at += 1
                return true
            case UInt8(ascii: "\\"):
                hasEscapes = true
                guard escape() else { return false }
            case 0..<0x20:
                return false
            default:
                at += 1
            }
        }
        return false
    }

    private mutating func escape() -> Bool {
        at += 1
        guard at < end else { return false }
        if take(UInt8(ascii: "u")) {
            guard end - at >= 4, (0..<4).allSatisfy({ Hex.value(of: at[$0]) != nil }) else { return false }
            at += 4
            return true
        }
        return "\"\\/bfnrt".utf8.contains(at.pointee) && take(at.pointee)
    }

    private mutating func number() -> Bool {
        _ = take(UInt8(ascii: "-"))
        guard at < end else { return false }
        if !take(UInt8(ascii: "0")), !digits() { return false }
        if take(UInt8(ascii: ".")), !digits() { return false }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let before = at
        while at < end, at.pointee >= UInt8(ascii: "0"), at.pointee <= UInt8(ascii: "9") { at += 1 }
        return at > before
    }

    private mutating func word(_ word: StaticString) -> Bool {
        guard Bytes(start: at, count: end - at).starts(with: word) else { return false }
        at += word.utf8CodeUnitCount
        return true
    }
}
