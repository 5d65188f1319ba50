package import PushModel

/// What an import did. `inserted + updated + unchanged + repeated` is what was given.
package struct ImportCounts: Equatable, Sendable {
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    /// Rows that a later row of the same chunk with the same token replaced.
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
/// index. So a chunk is written twice, each time in an order that suits: first the user keys, sorted, as
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
    ///   - goesOn: asked while the chunk is looked up. What has begun to be written is finished: hints of subscriptions
    ///     that do not follow would stay.
    ///   - pause: called between transactions with what is in the store so far.
    /// - Returns: nil: it was not to go on.
    package func upsert(
        _ chunk: SubscriberChunk, into app: AppID, at now: WallMoment, registers: Bool = true,
        goesOn: () -> Bool, pause: (ImportCounts) -> Void
    ) throws(StoreError) -> ImportCounts? {
        let order = SubscriberOrder.byToken(chunk)
        var counts = ImportCounts()
        var known: [Sorted] = []
        for page in paged(order) {
            guard goesOn() else { return nil }
            known.append(
                try connection.read("look subscribers up") { db in
                    Sorted(page, try SubscriberLookUp(db, app).find(chunk.gathered(page)))
                })
        }
        let new = known.flatMap(\.new)
        var sequence = try reserve(new.count, in: app)
        var ids = [Int64](repeating: 0, count: chunk.count)
        let range = SubscriptionRange(app)
        for index in new {
            sequence += 1
            ids[Int(index)] = range.id(sequence: sequence)
        }

        for page in paged(SubscriberOrder.byUserKey(chunk, where: { ids[$0] != 0 })) {
            try write("import user keys", into: app) { db in
                try UserKeyHints(db, app).add(chunk.gathered(page), ids: page.map { ids[Int($0)] })
            }
            pause(counts)
        }
        // A change touches the row, its old hint and its new one, and what is lifted of a quarantine.
        let pages =
            paged(new).map { (Kind.new, $0) }
            + paged(known.flatMap(\.unchanged), rows: Self.transactionRows / 4).map { (.unchanged, $0) }
            + paged(known.flatMap(\.changed), rows: Self.transactionRows / 6).map { (.changed, $0) }
        for (kind, page) in pages {
            counts += try write("import subscribers", into: app) { db in
                var writer = try SubscriptionWriter(
                    db, app, of: chunk.gathered(page), at: now.time, registers: registers)
                switch kind {
                case .new: try writer.insert(ids: page.map { ids[Int($0)] })
                case .unchanged: try writer.confirm()
                case .changed: try writer.replace()
                }
                return writer.counts
            }
            pause(counts)
        }
        counts.repeated = chunk.count - order.count
        return counts
    }

    private enum Kind { case new, unchanged, changed }

    /// The same of records that are few enough to be there already.
    package func upsert(
        _ records: [SubscriberRecord], into app: AppID, at now: WallMoment, registers: Bool = true,
        pause: (ImportCounts) -> Void = { _ in }
    ) throws(StoreError) -> ImportCounts {
        let counts = try upsert(
            SubscriberChunk(records), into: app, at: now, registers: registers, goesOn: { true }, pause: pause
        )
        return counts ?? ImportCounts()
    }

    /// Which rows of a page are new, which change something and which say what the store knows.
    private struct Sorted {
        var new: [UInt32] = []
        var changed: [UInt32] = []
        var unchanged: [UInt32] = []

        init(_ page: ArraySlice<UInt32>, _ known: [KnownSubscriber?]) {
            for (index, known) in zip(page, known) {
                switch known?.isSame {
                case nil: new.append(index)
                case true?: unchanged.append(index)
                case false?: changed.append(index)
                }
            }
        }
    }

    private func paged(_ indices: [UInt32], rows: Int = transactionRows) -> [ArraySlice<UInt32>] {
        stride(from: 0, to: indices.count, by: rows).map { indices[$0..<min($0 + rows, indices.count)] }
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
