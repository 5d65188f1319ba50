package import PushWire

/// A part of a list, and where the following part begins.
package struct Page<Item: Described & Codable>: View {
    package private(set) var items: [Item]
    /// The cursor of the following page; nil: this is the last one.
    package private(set) var next: String?

    init(_ items: [Item], next: Int64?) {
        self.items = items
        self.next = next.map { "\($0)" }
    }

    package static var schema: Schema { .page(of: Item.schema) }
    package var cursor: Int64? { next.flatMap { Int64($0) } }
}

extension Page: Equatable where Item: Equatable {}

extension Member {
    /// Where a page begins: ``Page/next`` of the page before.
    package static func cursor(_ path: any WritableKeyPath<Root, Int64?> & Sendable) -> Self {
        .query(path, "cursor", "The `next` of the page before. Absent: the first page.", in: 0...Int.max)
    }
}
