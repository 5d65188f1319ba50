/// An element of a document with the places of what it says.
struct DocumentElement: Equatable {
    struct Attribute: Equatable {
        var name: String
        var value: String
        var namePosition: SourcePosition
        var valuePosition: SourcePosition
    }
    var name: String
    /// Of its tag.
    var position: SourcePosition
    /// In the order of the file.
    var attributes: [Attribute]
    var children: [DocumentElement] = []
    /// Whether something else than tags, comments and blanks stands directly in it.
    var hasText = false

    func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
}
