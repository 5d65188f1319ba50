/// One statement for many items. On PostgreSQL, where each run is a round trip, all items are sent together.
/// The caller gives both SQL texts: the text that SQLite runs for each item, and PostgreSQL's text, in which
/// `unnest` turns arrays into rows. Parameters have the same numbers in both texts.
struct Batch {
    private let one: any Statement
    private let many: (any ArrayStatement)?

    init(_ db: any Session, one: String, many: String) throws {
        self.one = try db.statement(one)
        self.many = try db.arrayStatement(many)
    }

    /// Binds a parameter that is the same for all items.
    func bind(_ value: Int64, at index: Int32) { (many ?? one).bind(value, at: index) }

    /// Runs a statement that returns no rows.
    /// - Parameter bind: Binds the parameters of one item.
    func run<Item>(_ items: some Collection<Item>, bind: (Item, any Parameters) -> Void) throws {
        guard let many else {
            for item in items {
                bind(item, one)
                try one.run()
            }
            return
        }
        guard Self.bind(items, to: many, bind) else { return }
        try many.run()
    }

    /// Reads at most one row for each item. PostgreSQL's text returns a row for each item, in order.
    /// - Parameter row: Receives each item with its row, or with `nil` if there is no row. On PostgreSQL,
    ///   NULL in the first column means that the item has no row.
    func rowOfEach<Item>(
        _ items: some Collection<Item>, bind: (Item, any Parameters) -> Void,
        row: (Item, (any Statement)?) throws -> Void
    ) throws {
        guard let many else {
            for item in items {
                bind(item, one)
                defer { one.reset() }
                try row(item, try one.next() ? one : nil)
            }
            return
        }
        guard Self.bind(items, to: many, bind) else { return }
        defer { many.reset() }
        for item in items {
            guard try many.next() else { throw UnreadableValue() }
            try row(item, many.isNull(0) ? nil : many)
        }
    }

    /// Reads any number of rows for each item.
    /// - Parameters:
    ///   - first: The column of PostgreSQL's text that corresponds to the first column of SQLite's text.
    ///   - place: Returns the position of the item to which a row of PostgreSQL's text belongs. By default,
    ///     the first column of the row contains the item's number.
    ///   - row: Receives the row and its first column.
    func rows<Item>(
        of items: [Item], from first: Int32 = 1, place: (any Statement) -> Int? = { number($0, inColumn: 0) },
        bind: (Item, any Parameters) -> Void, row: (Item, any Statement, Int32) throws -> Void
    ) throws {
        guard let many else {
            for item in items {
                bind(item, one)
                defer { one.reset() }
                while try one.next() { try row(item, one, 0) }
            }
            return
        }
        guard Self.bind(items, to: many, bind) else { return }
        defer { many.reset() }
        while try many.next() {
            guard let place = place(many), items.indices.contains(place) else { throw UnreadableValue() }
            try row(items[place], many, first)
        }
    }

    /// Returns the position of the item whose number is in the column. Numbers are counted from 1, positions
    /// from 0.
    static func number(_ row: any Statement, inColumn column: Int32) -> Int {
        Int(truncatingIfNeeded: row.integer(column)) &- 1
    }

    /// - Returns: `false` if there are no items.
    private static func bind<Item>(
        _ items: some Collection<Item>, to many: any ArrayStatement, _ bind: (Item, any Parameters) -> Void
    ) -> Bool {
        let arrays = ArrayParameters()
        for item in items { bind(item, arrays) }
        arrays.bind(to: many)
        return !items.isEmpty
    }
}

/// Collects the parameters of many items. Values that an array cannot contain are converted: an absent
/// integer to `Int64.min`, bytes to hexadecimal digits, and a device token to text.
private final class ArrayParameters: Parameters {
    private var integers: [Int32: [Int64]] = [:]
    private var texts: [Int32: [String?]] = [:]

    func bind(_ value: Int64, at index: Int32) { integers[index, default: []].append(value) }
    func bind(_ value: Int64?, at index: Int32) { bind(value ?? Int64.min, at: index) }
    func bind(_ text: String?, at index: Int32) { texts[index, default: []].append(text) }
    func bind(token: String, at index: Int32) { bind(token, at: index) }

    func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32) {
        bind(unsafe String(decoding: text, as: UTF8.self), at: index)
    }

    func bind(tokenBytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
        bind(unsafe StoredToken.text(of: tokenBytes), at: index)
    }

    func bind(blob: UnsafeRawBufferPointer, at index: Int32) {
        let digits = unsafe blob.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        bind(digits.joined(), at: index)
    }

    func bind(to statement: any ArrayStatement) {
        for (index, array) in integers { statement.bind(array, at: index) }
        for (index, array) in texts { statement.bind(array, at: index) }
    }
}
