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
