/// How much of a document is read. Whatever they are, reading costs time and memory that grow with the bytes
/// alone; they say from where on a document is no honest one.
package struct XMLLimits: Sendable {
    /// The document as it comes.
    package var bytes: Int
    /// Elements within each other, the outermost one included. Whoever walks the tree does so by calling
    /// himself.
    package var depth: Int
    package var elements: Int
    package var attributesOfElement: Int
    package var bytesOfName: Int
    /// Of an attribute's value as it is written.
    package var bytesOfValue: Int

    package init(
        bytes: Int, depth: Int, elements: Int, attributesOfElement: Int, bytesOfName: Int, bytesOfValue: Int
    ) {
        self.bytes = bytes
        self.depth = min(depth, Self.deepest)
        self.elements = elements
        self.attributesOfElement = attributesOfElement
        self.bytesOfName = bytesOfName
        self.bytesOfValue = bytesOfValue
    }

    /// Deeper than any stack is sure to bear: a tree is also released by calling oneself.
    private static let deepest = 1_000
}
