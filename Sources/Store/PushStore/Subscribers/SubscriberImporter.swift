package import PushModel

/// What an import did. `inserted + updated + unchanged + repeated` is what was given.
package struct ImportCounts: Equatable, Sendable {
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    /// Rows that a later row with the same token replaced, of those written together.
    package var repeated = 0
    /// Of those that were known, subscriptions that deliveries leave out, by quarantine or feedback, and
    /// still do.
    package var excluded = 0
    package init() {}
    package static func += (left: inout Self, right: Self) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.repeated += right.repeated
        left.excluded += right.excluded
    }
}

/// Takes subscribers in bulk.
///
/// Tokens are random, and so are user keys beside them: a row at a time, each would rewrite a page of either
/// index. So rows are written twice, each time in an order that suits: first the user keys, sorted, as
/// hints to ids that nobody has yet; then the subscriptions, sorted by token. Neighbours share pages, and
/// what goes to the log shrinks about tenfold. A crash in between leaves hints that lead nowhere, which is
/// allowed (see ``TableSchema``).
package struct SubscriberImporter: Sendable {
    /// Rows that one transaction touches: with its sync well under 50 ms.
    static let transactionRows = 4_000

    let connection: Connection

    /// Inserts or updates by token, later rows win over earlier ones. A row without parameters leaves those
    /// that the store has.
    ///
    /// A failure keeps the transactions before it; doing it again is harmless. Refuses an unknown app, also
    /// one that is deleted meanwhile.
    /// - Parameters:
    ///   - registers: whether a token that is given is registered by that: if its subscription was disabled
    ///     or in quarantine, it is valid again, and a gateway's word from before counts no more. A list that
    ///     somebody kept says nothing of that.
    ///   - goesOn: asked while rows are looked up. What has begun to be written is finished: hints of
    ///     subscriptions that do not follow would stay.
    ///   - pause: called between transactions with what is in the store so far.
    /// - Returns: nil: it was not to go on.
    package func upsert(
        _ rows: SubscriberRows, into app: AppID, at now: WallMoment, registers: Bool = true,
        goesOn: () -> Bool, pause: (ImportCounts) -> Void
    ) throws(StoreError) -> ImportCounts? {
        let sorted = try rows.sorted()
        guard let found = try lookUp(sorted, of: rows, in: app, goesOn: goesOn) else { return nil }
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
        var waiting = Waiting()
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
        var pages = try sorted.pages(of: Self.transactionRows)
        while let page = try pages.next() {
            let kinds = found.kinds[done..<done + page.count]
            done += page.count
            // Nearly always: it need not be copied again.
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

    /// The same of records that are few enough to be there already.
    package func upsert(
        _ records: [SubscriberRecord], into app: AppID, at now: WallMoment, registers: Bool = true,
        pause: (ImportCounts) -> Void = { _ in }
    ) throws(StoreError) -> ImportCounts {
        let counts = try upsert(
            SubscriberRows(records), into: app, at: now, registers: registers, goesOn: { true }, pause: pause
        )
        return counts ?? ImportCounts()
    }

    /// What the store says of rows.
    private struct Found {
        /// Of each, in their order.
        var kinds: [RowKind] = []
        var newCount: UInt32 = 0
        /// Of those that are new, each with the number of new ones before it.
        var keys: SubscriberRows
    }

    /// What a row is to the store, and how it is written.
    private enum RowKind: Int8, CaseIterable {
        case new, unchanged, changed

        /// A change touches the row, its old hint and its new one, and what is lifted of a quarantine.
        var rowsAtOnce: Int {
            switch self {
            case .new: transactionRows
            case .unchanged: transactionRows / 4
            case .changed: transactionRows / 6
            }
        }
    }

    /// Rows of each kind until there are enough to be written.
    private struct Waiting {
        private var chunks = RowKind.allCases.map { _ in SubscriberChunk() }

        var hasNoNew: Bool { chunks[Int(RowKind.new.rawValue)].isEmpty }

        /// - Returns: what is to be written now.
        mutating func add(_ index: Int, of page: SubscriberChunk, _ kind: RowKind) -> SubscriberChunk? {
            let place = Int(kind.rawValue)
            chunks[place].append(index, of: page)
            return chunks[place].count == kind.rowsAtOnce ? take(kind) : nil
        }

        mutating func take(_ kind: RowKind) -> SubscriberChunk {
            var chunk = SubscriberChunk(like: chunks[Int(kind.rawValue)])
            swap(&chunk, &chunks[Int(kind.rawValue)])
            return chunk
        }
    }

    private func lookUp(
        _ sorted: SortedRows, of rows: SubscriberRows, in app: AppID, goesOn: () -> Bool
    ) throws(StoreError) -> Found? {
        var found = Found(keys: rows.companion(.byUserKey))
        found.kinds.reserveCapacity(rows.count)
        var pages = try sorted.pages(of: Self.transactionRows)
        while let page = try pages.next() {
            guard goesOn() else { return nil }
            let known = try connection.read("look subscribers up") {
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

    /// A write transaction in which the app exists: it may be deleted between any two, and nothing may come
    /// after.
    private func write<Value>(
        _ what: String, into app: AppID, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        try connection.write(what) { db in
            let isPresent = try db.value(
                Bool.self, sql: "SELECT EXISTS (SELECT 1 FROM app WHERE id = ?1 AND removed_at IS NULL)",
                arguments: [app.rawValue])
            guard isPresent == true else {
                throw StoreError(.unknown(.app, name: "\(app)"), path: connection.path)
            }
            return try body(db)
        }
    }

    /// Takes numbers that nobody else will get.
    /// - Returns: the last one taken before.
    private func reserve(_ count: Int, in app: AppID) throws(StoreError) -> Int64 {
        try write("import subscribers", into: app) { db in
            let sequence = try db.value(
                Int64.self, sql: "SELECT last_sequence FROM app WHERE id = ?1", arguments: [app.rawValue])
            guard let sequence else { throw UnreadableValue() }
            guard sequence + Int64(count) < 1 << SubscriptionRange.sequenceBits else {
                throw StoreError(
                    .limitReached(what: "app \(app) has registered all it can"), path: connection.path)
            }
            guard count > 0 else { return sequence }
            try db.execute(
                sql: "UPDATE app SET last_sequence = ?1 WHERE id = ?2",
                arguments: [sequence + Int64(count), app.rawValue])
            return sequence
        }
    }
}
