package import PushModel

/// The results of an import. `inserted + updated + unchanged + repeated` is the number of input rows.
package struct ImportCounts: Equatable, Sendable {
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    /// The number of rows that were replaced by a later row with the same token, among those that are written
    /// together.
    package var repeated = 0
    /// The number of known subscriptions that deliveries leave out because of quarantine or feedback, both
    /// before and after the import.
    package var excluded = 0
    /// The number of known or new subscriptions whose users have opted out. An import never changes this.
    package var optedOut = 0
    package init() {}
    package static func += (left: inout Self, right: Self) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.repeated += right.repeated
        left.excluded += right.excluded
        left.optedOut += right.optedOut
    }
}

/// Imports subscribers in bulk.
///
/// Tokens are random, and so are the user keys in relation to them. Written one at a time, each row would
/// rewrite a page of each index. Rows are therefore written twice, each time in a suitable order: first the
/// user keys, sorted, as hints to ids that no subscription has yet, and then the subscriptions, sorted by
/// token. Neighbours share pages, and the log data shrinks about tenfold. A crash between the two leaves
/// hints that lead nowhere, which is allowed (see ``TableSchema``).
package struct SubscriberImporter: Sendable {
    /// The number of rows that one transaction touches. Such a transaction, including its sync, takes well
    /// under 50 ms.
    static let transactionRows = 4_000

    let connection: Connection

    /// Inserts or updates rows by token. Later rows replace earlier ones. A row without parameters leaves the
    /// parameters in the store unchanged, and a row without a language leaves the language unchanged.
    ///
    /// After a failure, the preceding transactions remain in effect, and repeating the import is harmless.
    /// Refuses an unknown app, including one that is deleted during the import.
    /// - Parameters:
    ///   - registers: Whether the input counts as a registration of its tokens. If so, a subscription that
    ///     was disabled or in quarantine becomes valid again, and earlier reports of a gateway no longer
    ///     count; opt-outs remain. A list that was stored elsewhere is not evidence of registration.
    ///   - mayContinue: Called while rows are looked up; `false` ends the import. Once writing has begun, it
    ///     is completed, because otherwise hints without subscriptions would be left behind.
    ///   - pause: Called between transactions with the counts so far.
    /// - Returns: `nil` if `mayContinue` ended the import.
    package func upsert(
        _ rows: SubscriberRows, into app: AppID, at now: WallMoment, registers: Bool = true,
        mayContinue: () -> Bool, pause: (ImportCounts) -> Void
    ) throws(StoreError) -> ImportCounts? {
        let sorted = try rows.sorted()
        guard let found = try lookUp(sorted, of: rows, in: app, mayContinue: mayContinue) else { return nil }
        let firstSequence = try reserve(Int(found.newCount), in: app) + 1
        func id(_ number: Int) -> Int64 { SubscriptionRange(app).id(sequence: firstSequence + Int64(number)) }
        var counts = ImportCounts()
        var keys = try found.keys.sorted().pages(of: Self.transactionRows)
        while let page = try keys.next() {
            let ids = page.indices.map { id(Int(page.number($0))) }
            try write("import user keys", into: app) { try UserKeyHints($0, app).add(page, ids: ids) }
            pause(counts)
        }
        var (done, writtenNew) = (0, 0)
        // A row with a language also touches the row of its device.
        let transactionRows = Self.transactionRows / (rows.hasLanguages ? 2 : 1)
        var waiting = Waiting(transactionRows: transactionRows)
        func writePage(_ kind: RowKind, _ page: SubscriberChunk) throws(StoreError) {
            guard !page.isEmpty else { return }
            let ids = kind == .new ? page.indices.map { id(writtenNew + $0) } : []
            counts += try write("import subscribers", into: app) { db in
                var writer = try SubscriptionWriter(db, app, of: page, at: now.time, registers: registers)
                switch kind {
                case .new: try writer.insert(ids: ids)
                case .unchanged: try writer.confirm()
                case .changed: try writer.replace()
                }
                return writer.counts
            }
            writtenNew += ids.count
            pause(counts)
        }
        var pages = try sorted.pages(of: transactionRows)
        while let page = try pages.next() {
            let kinds = found.kinds[done..<done + page.count]
            done += page.count
            // This is nearly always the case, so the rows need not be copied again.
            if waiting.hasNoNew, kinds.allSatisfy({ $0 == .new }) {
                try writePage(.new, page)
                continue
            }
            for (index, kind) in zip(page.indices, kinds) {
                if let page = waiting.add(index, of: page, kind) { try writePage(kind, page) }
            }
        }
        for kind in RowKind.allCases { try writePage(kind, waiting.take(kind)) }
        counts.repeated = rows.count - found.kinds.count
        return counts
    }

    /// Inserts or updates records that are few enough to be in memory already.
    package func upsert(
        _ records: [SubscriberRecord], into app: AppID, at now: WallMoment, registers: Bool = true,
        pause: (ImportCounts) -> Void = { _ in }
    ) throws(StoreError) -> ImportCounts {
        let counts = try upsert(
            SubscriberRows(records), into: app, at: now, registers: registers, mayContinue: { true },
            pause: pause
        )
        return counts ?? ImportCounts()
    }

    /// The store's data about the rows.
    private struct Found {
        /// The kind of each row, in order.
        var kinds: [RowKind] = []
        var newCount: UInt32 = 0
        /// The user keys of the new rows, each with the number of new rows before it.
        var keys: SubscriberRows
    }

    /// The relation of a row to the store, which determines how the row is written.
    private enum RowKind: Int8, CaseIterable {
        case new, unchanged, changed

        /// A change touches the row, its old hint, its new hint, and the quarantine rows that it removes.
        func rowsAtOnce(_ transactionRows: Int) -> Int {
            switch self {
            case .new: transactionRows
            case .unchanged: transactionRows / 4
            case .changed: transactionRows / 6
            }
        }
    }

    /// Rows of each kind that wait until there are enough to write.
    private struct Waiting {
        let transactionRows: Int
        private var chunks = RowKind.allCases.map { _ in SubscriberChunk() }

        init(transactionRows: Int) { self.transactionRows = transactionRows }

        var hasNoNew: Bool { chunks[Int(RowKind.new.rawValue)].isEmpty }

        /// - Returns: The rows to write now.
        mutating func add(_ index: Int, of page: SubscriberChunk, _ kind: RowKind) -> SubscriberChunk? {
            let place = Int(kind.rawValue)
            chunks[place].append(index, of: page)
            return chunks[place].count == kind.rowsAtOnce(transactionRows) ? take(kind) : nil
        }

        mutating func take(_ kind: RowKind) -> SubscriberChunk {
            var chunk = SubscriberChunk(like: chunks[Int(kind.rawValue)])
            swap(&chunk, &chunks[Int(kind.rawValue)])
            return chunk
        }
    }

    private func lookUp(
        _ sorted: SortedRows, of rows: SubscriberRows, in app: AppID, mayContinue: () -> Bool
    ) throws(StoreError) -> Found? {
        var found = Found(keys: rows.companion(.byUserKey))
        found.kinds.reserveCapacity(rows.count)
        var pages = try sorted.pages(of: Self.transactionRows)
        while let page = try pages.next() {
            guard mayContinue() else { return nil }
            let known = try connection.read("look up subscribers") {
                try SubscriberLookUp($0, app).find(page)
            }
            for (index, known) in zip(page.indices, known) {
                let kind = known.map { $0.isSame ? RowKind.unchanged : .changed } ?? .new
                found.kinds.append(kind)
                guard kind == .new else { continue }
                if !page.isEmpty(.userKey, of: index) {
                    try found.keys.append(number: found.newCount, withKeyOf: index, of: page)
                }
                found.newCount += 1
            }
        }
        return found
    }

    /// Runs a write transaction after checking that the app exists. The app may be deleted between any two
    /// transactions, and no rows may be added after that.
    private func write<Value>(
        _ what: String, into app: AppID, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        try connection.write(what) { db in
            guard try App.exists(app, db) else {
                throw StoreError(.unknown(.app, name: "\(app)"), path: connection.path)
            }
            return try body(db)
        }
    }

    /// Reserves numbers that no other caller will receive.
    /// - Returns: The last number that had been assigned before.
    private func reserve(_ count: Int, in app: AppID) throws(StoreError) -> Int64 {
        try write("import subscribers", into: app) { db in
            let sequence = try db.value(
                Int64.self, sql: "SELECT last_sequence FROM app WHERE id = ?1", arguments: [app.rawValue])
            guard let sequence else { throw UnreadableValue() }
            guard sequence + Int64(count) < 1 << SubscriptionRange.sequenceBits else {
                throw StoreError(
                    .limitReached(what: "app \(app) has used all its subscriber numbers; create another app"),
                    path: connection.path)
            }
            guard count > 0 else { return sequence }
            try db.execute(
                sql: "UPDATE app SET last_sequence = ?1 WHERE id = ?2",
                arguments: [sequence + Int64(count), app.rawValue])
            return sequence
        }
    }
}
