/// The JSON of a request, for look-ups: a flat list of nodes that refer to the bytes. Each ``read(_:)``
/// creates the list again.
///
/// **Promises.** Nothing is copied, so the bytes must outlive the look-ups. If a name is repeated, its first
/// value counts. ``JSONShape`` checks grammar and UTF-8.
package final class JSONDocument {
    package enum Kind: UInt8, Sendable { case object, array, text, number, yes, no, null }

    fileprivate struct Node {
        let kind: Kind
        /// The start of the value. For a text, it is the position after the opening quote.
        let start: Int
        var count = 0
        var hasEscapes = false
        /// The first node after this node and all its descendants.
        var after = 0
    }

    private var nodes: [Node] = []
    private var bytes = Bytes.empty

    package init() {}

    /// The node of the whole document. It is valid after a document has been read.
    package var root: Int { 0 }

    /// Returns false if the bytes are not JSON.
    package func read(_ bytes: Bytes) -> Bool {
        guard let start = bytes.baseAddress, var scanner = JSONScanner(bytes, notes: NodeList(start: start))
        else { return false }
        self.bytes = bytes
        // The nodes are swapped in and out, so that neither list is copied.
        swap(&scanner.notes.nodes, &nodes)
        scanner.notes.nodes.removeAll(keepingCapacity: true)
        defer { swap(&scanner.notes.nodes, &nodes) }
        return scanner.shape() != .malformed
    }

    // MARK: Looking

    package func kind(_ node: Int) -> Kind { nodes[node].kind }

    /// Returns the bytes of a text or a number as they were sent.
    package func raw(_ node: Int) -> Bytes {
        Bytes(rebasing: bytes[nodes[node].start..<(nodes[node].start + nodes[node].count)])
    }

    /// Reports whether the text has no escapes, so that its `raw` bytes are the text itself.
    package func isPlain(_ node: Int) -> Bool { !nodes[node].hasEscapes }

    package func text(_ node: Int) -> String {
        isPlain(node) ? raw(node).text : JSONText.unescaped(raw(node))
    }

    /// Returns the number of bytes of the text or number in UTF-8.
    package func length(_ node: Int) -> Int { isPlain(node) ? nodes[node].count : text(node).utf8.count }

    /// Returns the value of a member; `nil` if it is absent or null.
    package func member(_ name: StaticString, of object: Int) -> Int? {
        guard kind(object) == .object else { return nil }
        for (key, value) in members(of: object) where raw(key).equals(name) {
            return kind(value) == .null ? nil : value
        }
        return nil
    }

    /// Returns the members of an object as pairs of nodes: the name and the value.
    package func members(of object: Int) -> some Sequence<(key: Int, value: Int)> {
        let end = nodes[object].after
        return sequence(state: object + 1) { [self] at in
            guard at < end else { return nil }
            defer { at = nodes[at + 1].after }
            return (key: at, value: at + 1)
        }
    }

    package func elements(of array: Int) -> some Sequence<Int> {
        let end = nodes[array].after
        return sequence(state: array + 1) { [self] at in
            guard at < end else { return nil }
            defer { at = nodes[at].after }
            return at
        }
    }
}

private struct NodeList: JSONNotes {
    let start: UnsafePointer<UInt8>
    var nodes: [JSONDocument.Node] = []

    mutating func begin(_ kind: JSONDocument.Kind, at place: UnsafePointer<UInt8>) -> Int {
        nodes.append(JSONDocument.Node(kind: kind, start: place - start))
        return nodes.count - 1
    }

    mutating func end(_ number: Int, at place: UnsafePointer<UInt8>, hasEscapes: Bool) {
        nodes[number].count = place - start - nodes[number].start
        nodes[number].hasEscapes = hasEscapes
        nodes[number].after = nodes.count
    }
}

/// Conversion between texts and the form that they have in JSON strings.
package enum JSONText {
    /// Returns `text` as JSON, with its quotes.
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

    /// Returns the text for these bytes, which were between quotes in valid JSON. An incomplete surrogate
    /// pair becomes U+FFFD.
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
