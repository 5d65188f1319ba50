/// JSON of a request, to look things up in: a flat list of nodes over the bytes, made anew by each
/// ``read(_:)``.
///
/// **Promises.** Nothing is copied; the bytes must outlive the look-ups. Where a name is repeated, the first
/// counts. Grammar and UTF-8 are ``JSONShape``'s business, which is asked first.
package final class JSONDocument {
    package enum Kind: UInt8, Sendable { case object, array, text, number, yes, no, null }

    package struct Node {
        package let kind: Kind
        /// Of a text: between the quotes.
        fileprivate(set) var start: Int
        fileprivate(set) var count = 0
        fileprivate var hasEscapes = false
        /// The first node that is not of this one.
        fileprivate(set) var after = 0
    }

    private var nodes: [Node] = []
    private var bytes = Bytes.empty

    package init() {}

    /// The whole document, once something was read.
    package var root: Int { 0 }

    /// False: the bytes are no JSON.
    package func read(_ bytes: Bytes) -> Bool {
        guard JSONShape(bytes) != .malformed, let start = bytes.baseAddress else { return false }
        self.bytes = bytes
        var reader = Reader(nodes: nodes, start: start, end: start + bytes.count)
        // Not two owners: the list would be copied.
        nodes = []
        reader.nodes.removeAll(keepingCapacity: true)
        reader.take()
        nodes = reader.nodes
        return true
    }

    // MARK: Looking

    package func kind(_ node: Int) -> Kind { nodes[node].kind }

    /// The bytes of a text or a number as they were sent.
    package func raw(_ node: Int) -> Bytes {
        Bytes(rebasing: bytes[nodes[node].start..<(nodes[node].start + nodes[node].count)])
    }

    /// Whether `raw` of a text is the text.
    package func isPlain(_ node: Int) -> Bool { !nodes[node].hasEscapes }

    package func text(_ node: Int) -> String {
        isPlain(node) ? raw(node).text : JSONText.unescaped(raw(node))
    }

    /// How many bytes the text or number has as UTF-8.
    package func length(_ node: Int) -> Int { isPlain(node) ? nodes[node].count : text(node).utf8.count }

    /// The value of a member that is there and not null.
    package func member(_ name: StaticString, of object: Int) -> Int? {
        guard kind(object) == .object else { return nil }
        for (key, value) in members(of: object) where raw(key).equals(name) {
            return kind(value) == .null ? nil : value
        }
        return nil
    }

    /// Pairs of nodes: names and values.
    package func members(of object: Int) -> Members {
        Members(document: self, at: object + 1, end: nodes[object].after)
    }

    package func elements(of array: Int) -> Elements {
        Elements(document: self, at: array + 1, end: nodes[array].after)
    }

    package struct Members: Sequence, IteratorProtocol {
        fileprivate let document: JSONDocument
        fileprivate var at: Int
        fileprivate let end: Int

        package mutating func next() -> (key: Int, value: Int)? {
            guard at < end else { return nil }
            let pair = (key: at, value: at + 1)
            at = document.nodes[at + 1].after
            return pair
        }
    }

    package struct Elements: Sequence, IteratorProtocol {
        fileprivate let document: JSONDocument
        fileprivate var at: Int
        fileprivate let end: Int

        package mutating func next() -> Int? {
            guard at < end else { return nil }
            defer { at = document.nodes[at].after }
            return at
        }
    }

    // MARK: Reading

    /// One pass over what is known to be JSON: that colons and commas are where they belong need not be asked
    /// again.
    private struct Reader {
        var nodes: [Node]
        let start: UnsafePointer<UInt8>
        let end: UnsafePointer<UInt8>
        var at: UnsafePointer<UInt8>

        init(nodes: [Node], start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
            self.nodes = nodes
            self.start = start
            self.end = end
            at = start
        }

        private mutating func skipSpace() {
            while at < end, at.pointee <= 0x20 { at += 1 }
        }

        mutating func take() {
            skipSpace()
            switch at.pointee {
            case UInt8(ascii: "{"): takeAll(.object, until: UInt8(ascii: "}"))
            case UInt8(ascii: "["): takeAll(.array, until: UInt8(ascii: "]"))
            case UInt8(ascii: "\""): takeText()
            case UInt8(ascii: "t"): takeScalar(.yes)
            case UInt8(ascii: "f"): takeScalar(.no)
            case UInt8(ascii: "n"): takeScalar(.null)
            default: takeScalar(.number)
            }
        }

        private mutating func takeAll(_ kind: Kind, until last: UInt8) {
            let index = nodes.count
            nodes.append(Node(kind: kind, start: at - start))
            at += 1
            skipSpace()
            while at.pointee != last {
                take()
                skipSpace()
                if at.pointee == UInt8(ascii: ":") || at.pointee == UInt8(ascii: ",") { at += 1 }
                skipSpace()
            }
            at += 1
            nodes[index].count = at - start - nodes[index].start
            nodes[index].after = nodes.count
        }

        private mutating func takeText() {
            at += 1
            var node = Node(kind: .text, start: at - start)
            while at.pointee != UInt8(ascii: "\"") {
                if at.pointee == UInt8(ascii: "\\") {
                    node.hasEscapes = true
                    at += 1
                }
                at += 1
            }
            append(&node)
            at += 1
        }

        private mutating func takeScalar(_ kind: Kind) {
            var node = Node(kind: kind, start: at - start)
            while at < end, !Self.endsScalar(at.pointee) { at += 1 }
            append(&node)
        }

        private mutating func append(_ node: inout Node) {
            node.count = at - start - node.start
            node.after = nodes.count + 1
            nodes.append(node)
        }

        private static func endsScalar(_ byte: UInt8) -> Bool {
            byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")
                || byte == UInt8(ascii: "]")
        }
    }
}

/// Texts as JSON has them between quotes.
package enum JSONText {
    /// `text` with its quotes.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20:
                result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The text that these bytes between quotes, which are known to be JSON, stand for. Half a surrogate pair
    /// becomes U+FFFD.
    package static func unescaped(_ bytes: Bytes) -> String {
        var units: [UInt16] = []
        var at = 0
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "\\") else {
                let end = bytes[at...].firstIndex(of: UInt8(ascii: "\\")) ?? bytes.count
                units.append(contentsOf: Bytes(rebasing: bytes[at..<end]).text.utf16)
                at = end
                continue
            }
            switch bytes[at + 1] {
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"):
                units.append((2...5).reduce(0) { $0 << 4 | UInt16(Hex.value(of: bytes[at + $1]) ?? 0) })
                at += 4
            default: units.append(UInt16(bytes[at + 1]))
            }
            at += 2
        }
        return String(decoding: units, as: UTF16.self)
    }
}
