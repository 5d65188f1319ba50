package import PushModel

/// The rows of an import that are written together. While there are few, they are in memory; otherwise they
/// are sorted in parts in an unnamed file next to the store.
///
/// The more rows are written together, the less an import into a large store costs. Tokens are random, so if
/// there are fewer rows than the token index has pages, each row causes a page to be written.
///
/// **Promises.** Memory use does not grow with the number of rows.
package struct SubscriberRows: Sendable {
    /// Limits for the amount of data.
    package struct Limits: Sendable {
        /// The maximum memory, in bytes, before the rows are sorted into the file.
        var held: Int
        /// The maximum number of parts in the file.
        var runs: Int

        package init(held: Int, runs: Int) {
            self.held = held
            self.runs = runs
        }

        /// With about 650 000 APNs tokens in memory, an import takes less than 200 MB. The file contains up
        /// to 5 million of them, in 320 MB. Once writing has begun, it is completed; if the process dies
        /// before that, the same number of user keys may be left without their subscribers.
        package static let ofImport = Limits(held: 40 << 20, runs: 8)
    }

    private let folder: String
    private let limits: Limits
    private let order: SubscriberOrder
    private var held: SubscriberChunk
    private var file: TemporaryFile?
    private var runs: [SortedRun] = []
    /// Whether any of the rows states the language of its device, so that more is written for each row.
    private(set) var hasLanguages = false

    /// Creates an empty collection.
    /// - Parameter folder: The folder of the file.
    package init(in folder: String, _ limits: Limits) {
        self.init(.byToken, in: folder, limits, held: SubscriberChunk(reserving: limits.held))
    }

    /// Creates a collection of records that are already in memory.
    package init(_ records: [SubscriberRecord]) {
        self.init(.byToken, in: "", Limits(held: 1 << 40, runs: 1), held: SubscriberChunk(records))
        hasLanguages = records.contains { !$0.language.isEmpty }
    }

    private init(_ order: SubscriberOrder, in folder: String, _ limits: Limits, held: SubscriberChunk) {
        self.order = order
        self.folder = folder
        self.limits = limits
        self.held = held
    }

    package var isEmpty: Bool { held.isEmpty && runs.isEmpty }
    /// Whether the rows in memory must be moved to the file.
    package var isMemoryFull: Bool { held.size >= limits.held }
    /// Whether the rows must be written before more are added.
    package var isFull: Bool { runs.count >= limits.runs }
    package var count: Int { runs.reduce(held.count) { $0 + $1.count } }

    package mutating func append(_ record: SubscriberRecord) {
        held.append(record)
        if !record.language.isEmpty { hasLanguages = true }
    }

    /// Appends the user key of a row, with a number in place of its token.
    mutating func append(number: UInt32, withKeyOf index: Int, of chunk: SubscriberChunk) throws(StoreError) {
        held.append(number: number, withKeyOf: index, of: chunk)
        if isMemoryFull { try store() }
    }

    /// Moves the rows in memory to the file.
    package mutating func store() throws(StoreError) {
        guard !held.isEmpty else { return }
        let file: TemporaryFile
        if let known = self.file { file = known } else { file = try TemporaryFile(in: folder, for: "import") }
        self.file = file
        runs.append(try SortedRun(held, order, to: file, at: runs.last?.end ?? 0))
        held = SubscriberChunk(reserving: limits.held)
    }

    /// If the file already contains rows, moves the remaining rows to it and frees the memory.
    package mutating func storeRest() throws(StoreError) {
        guard !runs.isEmpty else { return }
        try store()
        held = SubscriberChunk()
    }

    /// Returns an empty collection for rows that result from the rows of this collection. The new collection
    /// is in memory at the same time as this one, or after it.
    func companion(_ order: SubscriberOrder) -> SubscriberRows {
        SubscriberRows(
            order, in: folder, Limits(held: limits.held * 2 / 5, runs: .max), held: SubscriberChunk())
    }

    package mutating func removeAll() { self = SubscriberRows(in: folder, limits) }

    func sorted() throws(StoreError) -> SortedRows {
        guard let file else { return .held(held, order.indices(of: held)) }
        var rows = self
        try rows.storeRest()
        return .stored(rows.runs, order, file)
    }
}

/// All rows in one order. They can be read more than once.
enum SortedRows {
    case held(SubscriberChunk, [UInt32])
    case stored([SortedRun], SubscriberOrder, TemporaryFile)

    func pages(of rows: Int) throws(StoreError) -> SortedPages {
        switch self {
        case .held(let chunk, let indices): .held(chunk, indices[...], rows: rows)
        case .stored(let runs, let order, let file):
            .merged(try RunMerge(runs, order, of: file), rows: rows)
        }
    }
}

/// Rows, one page at a time.
enum SortedPages {
    case held(SubscriberChunk, ArraySlice<UInt32>, rows: Int)
    case merged(RunMerge, rows: Int)

    mutating func next() throws(StoreError) -> SubscriberChunk? {
        switch self {
        case .held(let chunk, let indices, let rows):
            guard !indices.isEmpty else { return nil }
            self = .held(chunk, indices.dropFirst(rows), rows: rows)
            return chunk.gathered(indices.prefix(rows))
        case .merged(var merge, let rows):
            // The merge's memory must not be copied.
            self = .held(SubscriberChunk(), [], rows: rows)
            defer { self = .merged(merge, rows: rows) }
            return try merge.page(of: rows)
        }
    }
}
