/// JSON of a request, to look things up in: a flat list of nodes over the bytes, made anew by each ``read(_:)``.
///
/// **Promises.** Nothing is copied; the bytes must outlive the look-ups. Where a name is repeated, the first counts.
/// Grammar and UTF-8 are ``JSONShape``'s business, which is asked first.
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
    private var bytes = Bytes(start: nil, count: 0)

    package init() {}

    /// The whole document, once something was read.
    package var root: Int { 0 }

    /// False: the bytes are no JSON.
    package func read(_ bytes: Bytes) -> Bool {
        nodes.removeAll(keepingCapacity: true)
        guard JSONShape(bytes) != .malformed else { return false }
        self.bytes = bytes
        var at = 0
        take(&at)
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

    package func text(_ node: Int) -> String { isPlain(node) ? raw(node).text : JSONText.unescaped(raw(node)) }

    /// How many bytes the text or number has as UTF-8.
    package func length(_ node: Int) -> Int { isPlain(node) ? nodes[node].count : text(node).utf8.count }

    /// The value of a member that is there and not null.
    package func member(_ name: StaticString, of object: Int) -> Int? {
        guard kind(object) == .object else { return nil }
        var found: Int?
        for (key, value) in members(of: object) where found == nil && raw(key).equals(name) {
            found = kind(value) == .null ? nil : value
            if found == nil { return nil }
        }
        return found
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

    // MARK: Reading what is known to be JSON

    private func skipSpace(_ at: inout Int) {
        while at < bytes.count, bytes[at] <= 0x20 { at += 1 }
    }

    private func take(_ at: inout Int) {
        skipSpace(&at)
        switch bytes[at] {
        case UInt8(ascii: "{"): takeAll(.object, until: UInt8(ascii: "}"), &at)
        case UInt8(ascii: "["): takeAll(.array, until: UInt8(ascii: "]"), &at)
        case UInt8(ascii: "\""): takeText(&at)
        case UInt8(ascii: "t"): takeScalar(.yes, &at)
        case UInt8(ascii: "f"): takeScalar(.no, &at)
        case UInt8(ascii: "n"): takeScalar(.null, &at)
        default: takeScalar(.number, &at)
        }
    }

    private func takeAll(_ kind: Kind, until end: UInt8, _ at: inout Int) {
        let index = nodes.count
        nodes.append(Node(kind: kind, start: at))
        at += 1
        skipSpace(&at)
        while bytes[at] != end {
            take(&at)
            skipSpace(&at)
            // Colons and commas separate, and that they are where they belong is known.
            if bytes[at] == UInt8(ascii: ":") || bytes[at] == UInt8(ascii: ",") { at += 1 }
            skipSpace(&at)
        }
        at += 1
        nodes[index].count = at - nodes[index].start
        nodes[index].after = nodes.count
    }

    private func takeText(_ at: inout Int) {
        at += 1
        var node = Node(kind: .text, start: at)
        while bytes[at] != UInt8(ascii: "\"") {
            if bytes[at] == UInt8(ascii: "\\") {
                node.hasEscapes = true
                at += 1
            }
            at += 1
        }
        node.count = at - node.start
        at += 1
        append(node)
    }

    private func takeScalar(_ kind: Kind, _ at: inout Int) {
        var node = Node(kind: kind, start: at)
        while at < bytes.count, !Self.endsScalar(bytes[at]) { at += 1 }
        node.count = at - node.start
        append(node)
    }

    private func append(_ node: Node) {
        nodes.append(node)
        nodes[nodes.count - 1].after = nodes.count
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
