package import PushModel

/// The rows of an import that are to be written together: in memory while they are few, else sorted in parts
/// in a file without a name, beside the store.
///
/// The more rows are written together, the less an import into a large store costs: tokens are random, so
/// fewer rows than the index of tokens has pages write a page for each of them.
///
/// **Promises.** Memory does not grow with the rows.
package struct SubscriberRows: Sendable {
    /// How much of them there may be.
    package struct Limits: Sendable {
        /// Bytes in memory, before they are sorted into the file.
        var held: Int
        /// Parts in the file.
        var runs: Int

        package init(held: Int, runs: Int) {
            self.held = held
            self.runs = runs
        }

        /// With some 650 000 tokens of APNs in memory an import takes less than 200 MB. The file has up to 5
        /// million of them, in 320 MB: what has begun to be written is finished, and if the process dies amid that,
        /// as many user keys may be left without their subscribers.
        package static let ofImport = Limits(held: 40 << 20, runs: 8)
    }

    private let folder: String
    private let limits: Limits
    private let order: SubscriberOrder
    private var held: SubscriberChunk
    private var file: TemporaryFile?
    private var runs: [SortedRun] = []

    /// None yet.
    /// - Parameter folder: of the file.
    package init(in folder: String, _ limits: Limits) {
        self.init(.byToken, in: folder, limits, held: SubscriberChunk(reserving: limits.held))
    }

    /// What is in memory already.
    package init(_ records: [SubscriberRecord]) {
        self.init(.byToken, in: "", Limits(held: 1 << 40, runs: 1), held: SubscriberChunk(records))
    }

    private init(_ order: SubscriberOrder, in folder: String, _ limits: Limits, held: SubscriberChunk) {
        self.order = order
        self.folder = folder
        self.limits = limits
        self.held = held
    }

    package var isEmpty: Bool { held.isEmpty && runs.isEmpty }
    /// Whether those in memory are to be stored.
    package var isMemoryFull: Bool { held.size >= limits.held }
    /// Whether they are to be written before there are more.
    package var isFull: Bool { runs.count >= limits.runs }
    package var count: Int { runs.reduce(held.count) { $0 + $1.count } }

    package mutating func append(_ record: SubscriberRecord) { held.append(record) }

    /// Adds the user key of a row, with a number in place of its token.
    mutating func append(number: UInt32, withKeyOf index: Int, of chunk: SubscriberChunk) throws(StoreError) {
        held.append(number: number, withKeyOf: index, of: chunk)
        if isMemoryFull { try store() }
    }

    /// Moves those in memory to the file.
    package mutating func store() throws(StoreError) {
        guard !held.isEmpty else { return }
        let file: TemporaryFile
        if let known = self.file { file = known } else { file = try TemporaryFile(in: folder, for: "import") }
        self.file = file
        runs.append(try SortedRun(held, order, to: file, at: runs.last?.end ?? 0))
        held = SubscriberChunk(reserving: limits.held)
    }

    /// Those that are left over, where others are in the file, and the memory is free.
    package mutating func storeRest() throws(StoreError) {
        guard !runs.isEmpty else { return }
        try store()
        held = SubscriberChunk()
    }

    /// For what these lead to, while these are in memory, too, or have been.
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

/// All rows in one order, to be read more than once.
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

/// Rows page by page.
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
            // Its memory is not to be copied.
            self = .held(SubscriberChunk(), [], rows: rows)
            defer { self = .merged(merge, rows: rows) }
            return try merge.page(of: rows)
        }
    }
}
