internal import PushModel

/// Rows for people and for awk: columns as wide as their widest cell, numbers to the right and without
/// separators.
package struct TextTable {
    private let headings: [String]
    private let numeric: Set<Int>
    private var rows: [[String]] = []

    /// - Parameter numeric: the headings of columns that hold numbers.
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
