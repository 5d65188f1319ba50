internal import PushWire

/// The fields of a form or of a query, in the order in which the browser sent them.
package struct FormFields: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// The maximum number of fields. The largest form has some hundreds.
    static let maxFields = 2_000
    /// The maximum size of an urlencoded body.
    package static let maxBytes = 256 << 10

    package private(set) var fields: [Field]

    package init(_ fields: [Field] = []) { self.fields = fields }

    /// Reads an urlencoded body or query; `nil` if it is not valid.
    package init?(urlencoded bytes: some Collection<UInt8>) {
        var fields: [Field] = []
        for pair in Array(bytes).split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard fields.count < Self.maxFields, let name = Self.text(halves[0]),
                let value = Self.text(halves.count > 1 ? halves[1] : [])
            else { return nil }
            fields.append(Field(name: name, value: value))
        }
        self.fields = fields
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        PercentCoding.decode(bytes, plusIsSpace: true).flatMap { text(of: $0) }
    }

    /// Returns the text of a field's value; `nil` if the bytes are not UTF-8 or contain a NUL character.
    /// Browsers send line breaks as CR LF; the text has LF.
    static func text(of bytes: [UInt8]) -> String? {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return text.utf8.contains(UInt8(ascii: "\r")) ? text.replacing("\r\n", with: "\n") : text
    }

    mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// The value of the first field with this name, without white space at its ends; `nil` if there is none.
    package subscript(_ name: String) -> String? { exact(name).map { $0.trimmed } }

    /// The value of the first field with this name, exactly as it was sent.
    package func exact(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The values of all fields with this name.
    package func all(_ name: String) -> [String] {
        fields.compactMap { $0.name == name ? $0.value : nil }
    }

    /// The trimmed value; `nil` if there is no field with this name or its value is empty.
    package func given(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }

    package func number(_ name: String) -> Int? { given(name).flatMap { Int($0) } }

    /// Whether a check box is checked.
    package func isOn(_ name: String) -> Bool { exact(name) != nil }

    /// A number that distinguishes what a person filled in from other input into the same form.
    var fingerprint: String {
        // FNV-1a. The number must be the same in each process. A collision affects only the person's form.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for field in fields where !FormNames.all.contains(field.name) {
            field.name.utf8.forEach(add)
            add(0)
            field.value.utf8.forEach(add)
            add(0)
        }
        return String(hash, radix: 16)
    }

    /// The fields without those that have one of these names.
    func without(_ names: Set<String>) -> FormFields {
        FormFields(fields.filter { !names.contains($0.name) })
    }
}

extension String {
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
