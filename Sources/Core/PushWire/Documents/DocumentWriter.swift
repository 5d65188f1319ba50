import PushModel

/// Writes JSON objects member by member, without spaces, in the order of the calls. A `nil` value is not
/// written.
package struct DocumentWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package mutating func object(_ members: (inout DocumentWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    package mutating func object(_ key: String, _ members: (inout DocumentWriter) -> Void) {
        begin(key)
        object(members)
    }

    package mutating func string(_ key: String, _ value: String?) {
        guard let value else { return }
        begin(key)
        JSONText.append(value, to: &bytes)
    }

    package mutating func strings(_ key: String, _ values: [String]) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.append(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    package mutating func objects<Element>(
        _ key: String, _ elements: [Element], _ members: (inout DocumentWriter, Element) -> Void
    ) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            object { members(&$0, element) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    package mutating func integer(_ key: String, _ value: (some BinaryInteger)?) {
        if let value { spelled(key, String(value)) }
    }

    package mutating func number(_ key: String, _ value: Double?) {
        if let value { spelled(key, String(value)) }
    }

    /// Writes a member only if its value is `true`.
    package mutating func flag(_ key: String, _ value: Bool) {
        if value { spelled(key, "true") }
    }

    /// Writes a value that is already JSON.
    package mutating func spelled(_ key: String, _ spelling: String) {
        begin(key)
        bytes.append(contentsOf: spelling.utf8)
    }

    private mutating func begin(_ key: String) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = true
    }
}
