internal import PushModel
internal import PushSystem

/// The progress of a copy.
package struct CopyProgress: Equatable, Sendable {
    package enum Stage: String, Sendable { case emptying, copying, counting, recounting }
    package var stage = Stage.emptying
    /// The table that is being copied or counted; `nil` if the work does not concern a particular table.
    package var table: String?
    /// The number of rows copied so far.
    package var rows = 0
    /// The number of deliveries recounted so far.
    package var deliveries = 0
    package init() {}
}

/// The result of a copy.
package struct CopiedStore: Codable, Equatable, Sendable {
    package var from: String
    package var to: String
    package var rows = 0
    /// The number of rows by table.
    package var tables: [String: Int] = [:]
    package var deliveries = 0
    /// The duration of the copy. The caller that requested the copy sets it.
    package var milliseconds: Int64 = 0
}

/// Copies a whole store to another place. The source and the destination may each be on any engine.
///
/// **Promises.** During the copy, no master serves either store and no other process writes to the source, so
/// the copy contains the source as it is at one moment. The destination is new or empty. It becomes a store
/// only when it is complete and has been compared with the source; until then it is marked (``CopyMark``),
/// and no process opens it. If a copy ends early for any reason, the next one starts from the beginning.
/// Numbering continues after the last assigned number, and the instance's key is copied with the store. Steps
/// are short; only the lock that prevents other processes from writing to the source is held throughout.
package struct StoreCopy: Sendable {
    private let from: Store.Place
    private let to: Store.Place
    private let busyTimeoutMilliseconds: Int
    private let maximumPages: Int?

    /// - Parameters:
    ///   - busyTimeoutMilliseconds: How long to wait for another process that is writing.
    ///   - maximumPages: See ``Store/open(path:busyTimeoutMilliseconds:maximumPages:)``. Applies to the
    ///     destination.
    package init(
        from: Store.Place, to: Store.Place, busyTimeoutMilliseconds: Int = 10_000, maximumPages: Int? = nil
    ) {
        self.from = from
        self.to = to
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        self.maximumPages = maximumPages
    }

    /// - Parameter proceed: Called after each step. Returns `false` to end the copy.
    /// - Returns: `nil` if `proceed` ended the copy.
    package func run(_ proceed: @escaping (CopyProgress) -> Bool = { _ in true }) throws(StoreError)
        -> CopiedStore?
    {
        let source = try Store.engine(
            from, for: .copySource, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        guard to.name != source.place else { throw StoreError(.sameStore, path: source.place) }
        let claim = try Self.claim(source)
        let key = try KeyCopy(from: source, to: to)
        let engine = try Store.engine(
            to, for: .copyDestination, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
            maximumPages: maximumPages)
        let destination = CopyDestination(engine: engine)
        let otherClaim = try Self.claim(engine)
        defer { withExtendedLifetime((claim, otherClaim)) {} }
        try destination.begin()
        try key.run()
        var step = Step(proceed: proceed)
        do throws(StoreError) {
            let copied = try source.writer.hold("copy it") { db in
                try Self.copy(db, as: source.writer, to: destination, &step)
            }
            try destination.end()
            return copied
        } catch {
            guard step.wasEnded else { throw error }
            return nil
        }
    }

    private static func claim(_ engine: any StoreEngine) throws(StoreError) -> any StoreClaim {
        guard let claim = try engine.claim() else { throw StoreError(.served, path: engine.place) }
        return claim
    }

    /// - Parameters:
    ///   - db: A session within a transaction that sees the source at one moment throughout.
    ///   - source: The connection to which that session belongs. Its reads run within the same transaction.
    static func copy(
        _ db: any Session, as source: Connection, to destination: CopyDestination, _ step: inout Step
    ) throws -> CopiedStore {
        let writer = destination.engine.writer
        var copied = CopiedStore(from: source.path, to: destination.engine.place)
        try destination.empty { try step.take() }

        step.progress.stage = .copying
        for table in StoreTable.all {
            step.progress.table = table.name
            let before = step.progress.rows
            copied.tables[table.name] = try TableCopy(table: table, source: db, destination: writer).run {
                rows in
                step.progress.rows = before + rows
                try step.take()
            }
        }
        copied.rows = copied.tables.values.reduce(0, +)
        for table in StoreTable.all where table.laterReference != nil {
            try TableCopy(table: table, source: db, destination: writer).copyLaterReference()
        }
        for table in StoreTable.all where table.isNumbered {
            let last = try NumberSequence(table: table, db: db).last()
            try writer.write("number table \(table.name)") {
                try NumberSequence(table: table, db: $0).set(last: last)
            }
        }

        step.progress.stage = .counting
        let check = CopyCheck(source: source, destination: writer)
        for table in StoreTable.all {
            step.progress.table = table.name
            try check.count(table, expecting: copied.tables[table.name] ?? 0) { try step.take() }
        }
        (step.progress.stage, step.progress.table) = (.recounting, nil)
        copied.deliveries = try check.recount { deliveries in
            step.progress.deliveries = deliveries
            try step.take()
        }
        return copied
    }

    struct Step {
        private let proceed: (CopyProgress) -> Bool
        fileprivate var progress = CopyProgress()
        private(set) var wasEnded = false

        init(proceed: @escaping (CopyProgress) -> Bool) { self.proceed = proceed }

        struct Ended: Error {}

        mutating func take() throws {
            guard !proceed(progress) else { return }
            wasEnded = true
            throw Ended()
        }
    }
}
