/// Whether bytes are JSON (RFC 8259), and whether it is an object with an object `aps`.
///
/// Checks all of the grammar and of UTF-8 in one pass and builds nothing.
package enum JSONShape: Equatable, Sendable {
    case object(hasAPS: Bool)
    /// JSON, but not an object.
    case other
    case malformed

    package init(_ bytes: Bytes) {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            self = .malformed
            return
        }
        var scanner = Scanner(at: start, end: start + bytes.count)
        scanner.skipSpace()
        let isObject = scanner.at < scanner.end && scanner.at.pointee == UInt8(ascii: "{")
        guard scanner.value(depth: 1) else {
            self = .malformed
            return
        }
        scanner.skipSpace()
        guard scanner.at == scanner.end else {
            self = .malformed
            return
        }
        self = isObject ? .object(hasAPS: scanner.hasAPS) : .other
    }

    private struct Scanner {
        var at: UnsafePointer<UInt8>
        let end: UnsafePointer<UInt8>
        var hasAPS = false

        init(at: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
            self.at = at
            self.end = end
        }

        @inline(__always)
        mutating func skipSpace() {
            while at < end,
                at.pointee == 0x20 || at.pointee == 0x0A || at.pointee == 0x0D || at.pointee == 0x09
            {
                at += 1
            }
        }

        @inline(__always)
        mutating func take(_ byte: UInt8) -> Bool {
            guard at < end, at.pointee == byte else { return false }
            at += 1
            return true
        }

        /// Nesting is bounded so that brackets cannot exhaust the stack.
        mutating func value(depth: Int) -> Bool {
            guard at < end, depth <= 128 else { return false }
            switch at.pointee {
            case UInt8(ascii: "\""): return string()
            case UInt8(ascii: "{"): return object(depth)
            case UInt8(ascii: "["): return array(depth)
            case UInt8(ascii: "t"): return word("true")
            case UInt8(ascii: "f"): return word("false")
            case UInt8(ascii: "n"): return word("null")
            default: return number()
            }
        }

        private mutating func object(_ depth: Int) -> Bool {
            at += 1
            skipSpace()
            if take(UInt8(ascii: "}")) { return true }
            repeat {
                skipSpace()
                let key = at
                guard at < end, at.pointee == UInt8(ascii: "\""), string() else { return false }
                let isAPS = depth == 1 && Bytes(start: key, count: at - key).equals("\"aps\"")
                skipSpace()
                guard take(UInt8(ascii: ":")) else { return false }
                skipSpace()
                if isAPS, at < end { hasAPS = at.pointee == UInt8(ascii: "{") }
                guard value(depth: depth + 1) else { return false }
                skipSpace()
            } while take(UInt8(ascii: ","))
            return take(UInt8(ascii: "}"))
        }

        private mutating func array(_ depth: Int) -> Bool {
            at += 1
            skipSpace()
            if take(UInt8(ascii: "]")) { return true }
            repeat {
                skipSpace()
                guard value(depth: depth + 1) else { return false }
                skipSpace()
            } while take(UInt8(ascii: ","))
            return take(UInt8(ascii: "]"))
        }

        private mutating func string() -> Bool {
            at += 1
            while at < end {
                let byte = at.pointee
                switch byte {
                case UInt8(ascii: "\""):
                    at += 1
                    return true
                case UInt8(ascii: "\\"):
                    guard escape() else { return false }
                case 0..<0x20:
                    return false
                case 0x80...:
                    guard multibyte(byte) else { return false }
                default:
                    at += 1
                }
            }
            return false
        }

        private mutating func escape() -> Bool {
            at += 1
            guard at < end else { return false }
            switch at.pointee {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
                UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                at += 1
                return true
            case UInt8(ascii: "u"):
                guard end - at >= 5, (1...4).allSatisfy({ Hex.value(of: at[$0]) != nil }) else {
                    return false
                }
                at += 5
                return true
            default: return false
            }
        }

        /// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
        private mutating func multibyte(_ first: UInt8) -> Bool {
            let length: Int
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch first {
            case 0xC2...0xDF: length = 2
            case 0xE0...0xEF:
                length = 3
                if first == 0xE0 { second = 0xA0...0xBF }
                if first == 0xED { second = 0x80...0x9F }
            case 0xF0...0xF4:
                length = 4
                if first == 0xF0 { second = 0x90...0xBF }
                if first == 0xF4 { second = 0x80...0x8F }
            default: return false
            }
            guard end - at >= length, second.contains(at[1]) else { return false }
            for index in 2..<max(2, length) where at[index] & 0xC0 != 0x80 { return false }
            at += length
            return true
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
}
