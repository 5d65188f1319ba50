/// Where something stands in a file, both from 1; columns count characters.
struct SourcePosition: Hashable, Comparable, Sendable {
    var line: Int
    var column: Int
    static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Why bytes are not an XML document that we read, and where.
struct SourceTrouble: Error, Equatable {
    var position: SourcePosition
    var message: String
}
