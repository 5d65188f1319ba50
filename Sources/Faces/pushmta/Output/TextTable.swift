internal import PushAPI
internal import PushModel
internal import PushWire

/// One object in a form for people: its properties, one per line, with aligned values.
package struct FieldList {
    private let fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)]) {
        self.fields = fields.map { ($0.name, $0.value.printable(atMost: .max)) }
    }

    /// Lists the members of an answer: `frequencyCap` becomes "frequency cap".
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

/// Rows for people and for awk. Columns are as wide as their widest cell; numbers are right-aligned and have
/// no separators.
package struct TextTable {
    private let headings: [String]
    private let numeric: Set<Int>
    private var rows: [[String]] = []

    /// - Parameter numeric: The headings of the columns that contain numbers.
    package init(_ headings: [String], numeric: [String] = []) {
        self.headings = headings
        self.numeric = Set(headings.indices.filter { numeric.contains(headings[$0]) })
    }

    package mutating func append(_ row: [String]) { rows.append(row.map { $0.printable(atMost: .max) }) }

    package var lines: [String] {
        let all = [headings] + rows
        let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for column in headings.indices {
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                line += numeric.contains(column) ? padding + row[column] : row[column] + padding
                line += "  "
            }
            return line.trimmingSpacesAtEnd
        }
    }
}

extension String {
    fileprivate var trimmingSpacesAtEnd: String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension String {
    /// The text as a single shell word, in quotation marks if necessary.
    package var quotedForShell: String {
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        return plain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
