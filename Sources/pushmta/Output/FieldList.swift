internal import PushModel

/// One thing for people: its properties, one a line, values beneath each other.
package struct FieldList {
    private let fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)]) {
        self.fields = fields.map { ($0.name, $0.value.printable(atMost: .max)) }
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
