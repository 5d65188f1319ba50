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

    package var lines: [String] { lines(within: nil) }

    /// - Parameter columns: The width of the terminal, at which values are wrapped; `nil` if there is none.
    package func lines(within columns: Int?) -> [String] {
        let width = fields.map(\.name.count).max() ?? 0
        return fields.flatMap { field -> [String] in
            guard !field.value.isEmpty else { return [field.name] }
            let name = field.name + String(repeating: " ", count: width - field.name.count) + "  "
            return (name + field.value).wrapped(to: columns, indentation: name.count)
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

    package var lines: [String] { lines(within: nil, []) }

    /// - Parameters:
    ///   - columns: The width of the screen; `nil` if the table may have any width.
    ///   - steps: The steps that make the table narrower, in the order in which they are applied until the
    ///     table fits. The least important columns come first.
    package func lines(within columns: Int?, _ steps: [Narrowing]) -> [String] {
        let widths = columns.map { fitted(naturalWidths, to: $0, steps) } ?? naturalWidths
        return ([headings] + rows).map { row in
            var line = ""
            for column in headings.indices where widths[column] >= 0 {
                let cell = Self.shortened(row[column], to: widths[column])
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += numeric.contains(column) ? padding + cell : cell + padding
                line += Self.gap
            }
            return (columns.map { String(line.prefix($0)) } ?? line).trimmingSpacesAtEnd
        }
    }

    /// Returns the complete texts of all cells.
    /// - Parameter columns: The width of the terminal, at which the texts of the last column are wrapped;
    ///   `nil` if there is none.
    package func lines(wrappedTo columns: Int?) -> [String] {
        let start = naturalWidths.dropLast().reduce(0) { $0 + $1 + Self.gap.count }
        return lines.flatMap { $0.wrapped(to: columns, indentation: start) }
    }

    private var naturalWidths: [Int] {
        headings.indices.map { column in ([headings] + rows).map { $0[column].count }.max() ?? 0 }
    }

    /// A step that makes a table narrower.
    package enum Narrowing: Sendable {
        case drop(String)
        /// Cells are cut, but to no fewer than this many characters.
        case shorten(String, to: Int)
    }

    private static let gap = "  "

    /// - Returns: The widths of the columns; negative for a column that is dropped.
    private func fitted(_ natural: [Int], to columns: Int, _ steps: [Narrowing]) -> [Int] {
        var widths = natural
        var shortenedOnes: [Int] = []
        func excess() -> Int {
            let shown = widths.filter { $0 >= 0 }
            return shown.reduce(0, +) + Self.gap.count * (shown.count - 1) - columns
        }
        for step in steps where excess() > 0 {
            switch step {
            case .drop(let heading):
                if let column = headings.firstIndex(of: heading) { widths[column] = -1 }
            case .shorten(let heading, let fewest):
                guard let column = headings.firstIndex(of: heading) else { continue }
                widths[column] = min(widths[column], max(fewest, heading.count))
                shortenedOnes.append(column)
            }
        }
        // The remaining width is given back to the columns that were shortened, the most important first.
        for column in shortenedOnes.reversed() where widths[column] >= 0 {
            widths[column] = min(widths[column] + max(-excess(), 0), natural[column])
        }
        return widths
    }

    /// Cuts a text. A short ending after `#`, which distinguishes the text from others, is kept.
    private static func shortened(_ text: String, to width: Int) -> String {
        guard text.count > width else { return text }
        let ending = text.lastIndex(of: "#").map { text[$0...] } ?? ""
        let kept = ending.count <= longestEnding && ending.count + 1 < width ? ending : ""
        return text.prefix(max(width - kept.count - 1, 0)) + "…" + kept
    }

    private static let longestEnding = 9
}

extension String {
    /// Splits a line between words if it is longer than the width of the terminal.
    /// - Parameter indentation: The indentation of all lines after the first. If it leaves too little room
    ///   for a text, it is reduced.
    func wrapped(to columns: Int?, indentation: Int) -> [String] {
        guard let columns else { return [self] }
        let hasRoom = indentation + 20 <= columns
        let margin = String(repeating: " ", count: hasRoom ? indentation : 2)
        var (lines, line) = ([String](), self)
        while line.count > columns {
            let text = line.dropFirst(margin.count)
            // The space between two lines need not fit.
            let fitting = text.prefix(max(columns - margin.count, 0) + 1)
            guard let end = fitting.lastIndex(of: " ") ?? text.firstIndex(of: " ") else { break }
            lines.append(String(line[..<end]).trimmingSpacesAtEnd)
            line = margin + line[end...].drop { $0 == " " }
        }
        return lines + [line]
    }

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
