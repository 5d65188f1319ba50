/// An element of a document with the places of what it says. Text is not kept: what we read has attributes.
package struct DocumentElement: Equatable {
    package struct Attribute: Equatable {
        package var name: String
        /// Normalized as XML 1.0 §3.3.3 says, references replaced.
        package var value: String
        package var namePosition: SourcePosition
        /// Of the first character after the quote.
        package var valuePosition: SourcePosition
    }
    package var name: String
    /// Of its tag.
    package var position: SourcePosition
    /// In the order of the document.
    package var attributes: [Attribute] = []
    package var children: [DocumentElement] = []
    /// Whether something else than tags, comments, instructions and blanks stands directly in it.
    package var hasText = false

    package func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
}

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
