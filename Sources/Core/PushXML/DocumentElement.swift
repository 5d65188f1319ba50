/// An element of a document, with the positions of its parts. Text is not kept: the documents that we read
/// use attributes.
package struct DocumentElement: Equatable {
    package struct Attribute: Equatable {
        package var name: String
        /// Normalized according to XML 1.0 §3.3.3, with references replaced.
        package var value: String
        package var namePosition: SourcePosition
        /// The position of the first character after the quote.
        package var valuePosition: SourcePosition
    }
    package var name: String
    /// The position of the element's tag.
    package var position: SourcePosition
    /// The attributes, in document order.
    package var attributes: [Attribute] = []
    package var children: [DocumentElement] = []
    /// Whether the element directly contains anything other than tags, comments, instructions and white
    /// space.
    package var hasText = false

    package func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
}

/// A position in a document. Both numbers start at 1. Lines end at line feeds, and columns count characters
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

/// The reason why the reader rejects a document, and the position of the fault.
package struct XMLError: Error, Equatable {
    package var position: SourcePosition
    /// One line: the error and the correct form. Any text from the document is made printable.
    package var message: String
}
