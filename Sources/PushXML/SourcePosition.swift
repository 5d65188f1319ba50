/// Where something stands in a document, both from 1; lines end at line feeds, columns count characters
/// (Unicode scalars).
package struct SourcePosition: Hashable, Comparable, Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Why bytes are not an XML document that we read, and where.
package struct XMLTrouble: Error, Equatable {
    package var position: SourcePosition
    /// One line: what is wrong, what to write instead. What it shows of the document is printable.
    package var message: String
}
