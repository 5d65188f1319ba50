package import PushWire

/// A part of a list, and the place where the following part begins.
package struct Page<Item: Described & Codable>: View {
    package private(set) var items: [Item]
    /// The cursor of the following page; `nil` if this is the last page.
    package private(set) var next: String?

    /// - Parameters:
    ///   - next: The place where the following page begins; `nil` if this is the last page.
    ///   - list: The request that this page answers.
    init<List: UseCase>(_ items: [Item], next: Int64?, of list: List) {
        self.items = items
        self.next = next.map { Cursor(of: list, at: $0).text }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    package static var schema: Schema { .page(of: Item.schema) }
    @_semantics("optimize.sil.specialize.generic.never")
    package static var sample: Self? { nil }
    @_semantics("optimize.sil.specialize.generic.never")
    package static var example: JSONValue? { [Item].example.map { ["items": $0, "next": .null] } }
    /// The place where the following page begins; `nil` if this is the last page.
    package var position: Int64? { next.flatMap(Cursor.init(text:))?.position }
}

extension Page: Equatable where Item: Equatable {}

/// A list whose pages may have fewer items than the limit even if more items follow. For each page, a limited
/// number of items is read, and those that a filter excludes are omitted.
package protocol FilteredList: ShortOperation, UseCase where Answer == Page<Item> {
    associatedtype Item: Described & Codable
    var limit: Int { get }
    var cursor: Int64? { get set }
}

extension Operations {
    /// Returns the first items of a list, up to the list's limit.
    package func items<List: FilteredList>(of list: List) throws(OperationError) -> [List.Item] {
        var (list, items) = (list, [List.Item]())
        repeat {
            let page = try carryOut(list)
            items += page.items.prefix(list.limit - items.count)
            list.cursor = page.position
        } while list.cursor != nil && items.count < list.limit
        return items
    }
}

/// A place in a list. It identifies the list, so that any other list refuses it. ``text`` consists of the use
/// case's name and the position. If the request has members that select the listed items, a hash of these
/// members is between the two.
struct Cursor {
    static let name = "cursor"
    /// Members that do not affect which items are listed.
    private static let others = [name, "limit"]

    let text: String
    let position: Int64

    init<List: UseCase>(of list: List, at position: Int64) {
        let chosen = List.members.compactMap { member -> JSONMember? in
            let declaration = member.declaration
            guard [.path, .query].contains(declaration.place), !Self.others.contains(declaration.name),
                let value = member.get(list), value != .null, value != declaration.preset
            else { return nil }
            return JSONMember(key: declaration.name, value: value)
        }
        let mark = chosen.isEmpty ? "" : ".\(Self.mark(of: .object(chosen)))"
        text = "\(List.name)\(mark).\(position)"
        self.position = position
    }

    init?(text: String) {
        guard let place = text.lastIndex(of: "."), let position = Int64(text[text.index(after: place)...]),
            position >= 0
        else { return nil }
        (self.text, self.position) = (text, position)
    }

    /// Returns an FNV-1a hash, which is the same in every process.
    private static func mark(of value: JSONValue) -> String {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return String(bytes.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }, radix: 16)
    }
}

extension Member where Root: UseCase {
    /// The place where a page begins: ``Page/next`` of the previous page.
    package static func cursor(_ path: any WritableKeyPath<Root, Int64?> & Sendable) -> Self {
        Self(
            Declaration(
                name: Cursor.name, place: .query,
                help:
                    """
                    The `next` of the previous page; all other parameters must be the same as for that \
                    page. If the cursor is absent, the first page is returned.
                    """,
                schema: .cursor, isRequired: false, preset: nil),
            path: path,
            set: { list, json, place, faults in
                guard case .string(let text) = json, let cursor = Cursor(text: text) else {
                    return faults.note(place, "must be the `next` of a page of this list")
                }
                list[keyPath: path] = cursor.position
            },
            get: { list in list[keyPath: path].map { .string(Cursor(of: list, at: $0).text) } })
    }
}

extension UseCase {
    /// Returns what is wrong with the cursor of this request; `nil` if nothing is wrong. The request's other
    /// members have already been read.
    /// - Parameter given: All members that were given.
    func cursorFault(_ given: [JSONMember]) -> String? {
        guard let cursor = given.first(where: { $0.key == Cursor.name })?.value, cursor != .null,
            let member = Self.members.first(where: { $0.declaration.name == Cursor.name }),
            member.get(self) != cursor
        else { return nil }
        return
            """
            belongs to another list; give the `next` of a page of this list, with otherwise identical \
            parameters
            """
    }
}
