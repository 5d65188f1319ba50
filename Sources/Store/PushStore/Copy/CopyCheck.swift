internal import PushModel
internal import PushQueue
internal import PushSystem

/// Compares a copy with its source.
struct CopyCheck {
    /// A connection whose transaction sees the source at one moment.
    let source: Connection
    let destination: Connection

    /// Counts the rows of the destination's table, page by page in the order of its key.
    /// - Throws: If the count differs from the number of copied rows.
    func count(_ table: StoreTable, expecting copied: Int, _ proceed: () throws -> Void) throws {
        var count = 0
        var last: [SQLValue] = []
        while true {
            let keys = try destination.read("count table \(table.name)") { db in
                let statement = try db.statement(table.page(table.keyList, isFirst: last.isEmpty))
                defer { statement.reset() }
                statement.bind([.integer(Int64(Connection.maximumRows))] + last)
                var (rows, end): (Int, [SQLValue]) = (0, [])
                while try statement.next() {
                    rows += 1
                    // Only the last key is needed, and only if another page follows.
                    if rows == Connection.maximumRows {
                        end = table.key.indices.map { statement.value(Int32($0)) }
                    }
                }
                return (rows: rows, end: end)
            }
            count += keys.rows
            try proceed()
            guard keys.rows == Connection.maximumRows else { break }
            last = keys.end
        }
        guard count == copied else {
            throw differs("table \(table.name) has \(count) rows instead of \(copied)")
        }
    }

    /// Recounts the messages of each delivery in the source and in the destination.
    /// - Returns: The number of deliveries.
    func recount(_ proceed: (_ deliveries: Int) throws -> Void) throws -> Int {
        var count = 0
        var last: Int64 = .min
        while true {
            let ids = try source.read("list deliveries") { db in
                try db.values(
                    Int64.self, sql: "SELECT id FROM delivery WHERE id > ?1 ORDER BY id LIMIT ?2",
                    arguments: [last, Self.deliveriesPerStep])
            }
            for id in ids.map(DeliveryID.init(rawValue:)) {
                guard try Figures(of: id, in: source) == Figures(of: id, in: destination) else {
                    throw differs("the counts of delivery \(id) differ")
                }
            }
            count += ids.count
            try proceed(count)
            guard ids.count == Self.deliveriesPerStep, let end = ids.last else { return count }
            last = end
        }
    }

    private static let deliveriesPerStep = 100

    private func differs(_ how: String) -> StoreError {
        StoreError(
            .unsound(what: "\(how), so the store is not a copy of \(source.path); copy it again"),
            path: destination.path)
    }

    /// The counts of a delivery according to its messages and according to its tally. A value is `nil` if the
    /// rows from which it is read are damaged. The copy contains the same damage, so its figures are still
    /// equal to those of the source.
    private struct Figures: Equatable {
        var counted: TallyByApp?
        var last: Int64?
        var kept: TallyByApp?
        var prepared: Int64?

        init(of delivery: DeliveryID, in connection: Connection) throws(StoreError) {
            let counted = try Self.unlessDamaged { () throws(StoreError) in
                try StoreInspection.tallies(in: connection, delivery)
            }
            self.counted = counted?.tallies
            last = counted?.prepared
            kept = try Self.unlessDamaged { () throws(StoreError) in
                try connection.read("read a tally", of: delivery) {
                    try TallyTable(db: $0).tallies(of: delivery)
                }
            }
            prepared =
                try Self.unlessDamaged { () throws(StoreError) in
                    try connection.read("read a delivery", of: delivery) { db in
                        try db.value(
                            Int64.self, sql: "SELECT last_ordinal FROM delivery WHERE id = ?1",
                            arguments: [delivery.rawValue])
                    }
                } ?? nil
        }

        private static func unlessDamaged<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError)
            -> Value?
        {
            do throws(StoreError) { return try body() } catch {
                guard error.remedy == .setAside else { throw error }
                return nil
            }
        }
    }
}
