internal import PushModel
internal import PushOperations
internal import PushWire

/// One thing for people: its properties, one a line, values beneath each other.
package struct FieldList {
    private let fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)]) {
        self.fields = fields.map { ($0.name, $0.value.printable(atMost: .max)) }
    }

    /// The members of an answer: `frequencyCap` is "frequency cap".
    init(of answer: some Described) {
        let members = if case .object(let members)? = answer.json { members } else { [JSONMember]() }
        self.init(
            members.map { member in
                let name = member.key.reduce(into: "") {
                    $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)"
                }
                return (name, Self.text(of: member.value))
            })
    }

    private static func text(of value: JSONValue) -> String {
        switch value {
        case .null: "none"
        case .string(let text): text
        case .array(let values): values.map { text(of: $0) }.joined(separator: ", ")
        default: value.text
        }
    }

    package var lines: [String] {
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { field in
            field.value.isEmpty
                ? field.name
                : field.name + String(repeating: " ", count: width - field.name.count) + "  " + field.value
        }
    }
}
