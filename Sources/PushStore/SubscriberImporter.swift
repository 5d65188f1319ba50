internal import GRDB
package import PushModel

/// What an import did. `inserted + updated + unchanged + repeated` is what was given.
package struct ImportCounts: Equatable, Sendable {
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    /// Rows that a later row of the same chunk with the same token replaced.
    package var repeated = 0
    package init() {}
    package static func += (left: inout Self, right: Self) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.repeated += right.repeated
    }
}

/// Takes subscribers in bulk.
///
/// Tokens are random, and random inserts into a large index rewrite a page for every row. So a chunk is sorted by
/// token in memory first: neighbours then share pages, and the log shrinks tenfold.
package struct SubscriberImporter: Sendable {
    /// Rows worth giving at once.
    package static let idealChunk = 200_000
    /// Rows a transaction: well under 50 ms even with its sync.
    private static let transactionRows = 4_000

    let connection: Connection

    /// Inserts or updates by token, later rows win over earlier ones, in transactions of at most 4 000 rows. A row
    /// without parameters leaves those that the store has; a disabled subscription stays disabled.
    ///
    /// A failure keeps the transactions before it; doing it again is harmless.
    /// - Parameter pause: called between transactions.
    package func upsert(
        _ records: [SubscriberRecord], into app: AppID, at now: WallMoment, pause: () -> Void = {}
    ) throws(StoreError) -> ImportCounts {
        let order = SubscriberOrder(records)
        var counts = ImportCounts()
        counts.repeated = records.count - order.indices.count
        var start = 0
        while start < order.indices.count {
            if start > 0 { pause() }
            let end = min(start + Self.transactionRows, order.indices.count)
            counts += try write(records, order.indices[start..<end], into: app, at: now.time)
            start = end
        }
        return counts
    }

    private func write(
        _ records: [SubscriberRecord], _ indices: ArraySlice<UInt32>, into app: AppID, at now: WallTime
    ) throws(StoreError) -> ImportCounts {
        try connection.write("import subscribers") { db in
            guard let sequence = try Int64.fetchOne(
                db, sql: "SELECT last_sequence FROM app WHERE id = ? AND removed_at IS NULL", arguments: [app.rawValue])
            else { throw StoreError(.unknown(.app, name: "\(app)"), path: connection.path) }
            guard sequence + Int64(indices.count) < 1 << SubscriptionRange.sequenceBits else {
                throw StoreError(.limitReached(what: "app \(app) has registered all it can"), path: connection.path)
            }
            var upsert = try SubscriptionUpsert(db, app: app, lastSequence: sequence, at: now)
            for index in indices { try upsert.run(records[Int(index)]) }
            try db.execute(
                sql: "UPDATE app SET last_sequence = ? WHERE id = ?", arguments: [upsert.lastSequence, app.rawValue])
            return upsert.counts
        }
    }
}

/// The hot statement of an import, within one transaction.
private struct SubscriptionUpsert {
    static let sql = """
        INSERT INTO subscription (id, app_id, token, user_key, parameters, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
        ON CONFLICT (app_id, token) DO UPDATE SET
            user_key = excluded.user_key,
            parameters = ifnull(excluded.parameters, parameters),
            updated_at = excluded.updated_at
        WHERE user_key <> excluded.user_key OR parameters IS NOT ifnull(excluded.parameters, parameters)
        """

    private let statement: HotStatement
    private let range: SubscriptionRange
    private var token: [UInt8] = []
    private(set) var lastSequence: Int64
    private(set) var counts = ImportCounts()

    init(_ db: Database, app: AppID, lastSequence: Int64, at now: WallTime) throws {
        statement = try HotStatement(db, Self.sql)
        range = SubscriptionRange(app)
        self.lastSequence = lastSequence
        statement.bind(app.rawValue, at: 2)
        statement.bind(now.secondsSince1970, at: 6)
    }

    mutating func run(_ record: SubscriberRecord) throws {
        let id = range.id(sequence: lastSequence + 1)
        statement.bind(id, at: 1)
        if StoredToken.decode(record.token, into: &token) {
            unsafe token.withUnsafeBytes { unsafe statement.bind(blob: $0, at: 3) }
        } else {
            statement.bind(record.token, at: 3)
        }
        statement.bind(record.userKey, at: 4)
        statement.bind(record.parametersJSON, at: 5)
        let changed = try statement.change()
        if changed == 0 {
            counts.unchanged += 1
        } else if statement.lastInsertedID == id {
            // An update leaves the connection's last inserted id alone.
            counts.inserted += 1
            lastSequence += 1
        } else {
            counts.updated += 1
        }
    }
}
