package import PushModel
internal import PushSystem

extension Store {
    /// Returns the size of the store. The cost is the same however large the store is.
    package func size() throws(StoreError) -> StoreSize {
        var size = try reading("measure it") { db in
            var size = StoreSize()
            switch db.dialect {
            case .sqlite:
                let page = try db.value(Int.self, sql: "PRAGMA page_size") ?? 0
                size.bytes = page * (try db.value(Int.self, sql: "PRAGMA page_count") ?? 0)
                size.freeBytes = page * (try db.value(Int.self, sql: "PRAGMA freelist_count") ?? 0)
            case .postgreSQL:
                size.bytes =
                    try db.value(
                        Int.self,
                        sql: """
                            SELECT CAST(sum(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class
                            WHERE relnamespace = 'pushmta'::regnamespace AND relkind = 'r'
                            """) ?? 0
            }
            try MessageSample(db: db).add(to: &size)
            return size
        }
        if engineIsFile {
            size.logBytes = PrivateFile.size(of: StoreFiles.logPath(instancePath))
            size.diskFreeBytes = FreeSpace(nextTo: instancePath)?.bytes
        }
        return size
    }
}

/// Measures the space that messages take in the newest parts, within the caller's transaction.
private struct MessageSample {
    let db: any Session

    private static let parts = 50

    /// The bytes that an engine needs for a part or a note in addition to the values, including entries in
    /// indexes. SQLite needs some bytes for the record's header and each index; PostgreSQL needs 24 for a
    /// row's header, 4 for its line pointer, and 16 per index entry.
    private var bytesAPart: Int { db.dialect == .sqlite ? 110 : 330 }
    private var bytesANote: Int { db.dialect == .sqlite ? 14 : 84 }

    func add(to size: inout StoreSize) throws {
        let length = db.dialect == .sqlite ? "length" : "pg_column_size"
        let parts = try db.rows(
            sql: """
                SELECT p.id, p.count, \(length)(p.members) + \(length)(q.states)
                FROM part p JOIN part_progress q ON q.part_id = p.id ORDER BY p.id DESC LIMIT ?1
                """, arguments: [Self.parts]
        ).map { (id: try $0[0] as Int64, count: try $0[1] as Int, bytes: try $0[2] as Int) }
        guard let newest = parts.first, let oldest = parts.last else { return }
        let notes = try db.row(
            sql: """
                SELECT count(*), CAST(coalesce(sum(coalesce(length(provider_id), 0)), 0) AS BIGINT) FROM \
                part_note
                WHERE part_id BETWEEN ?1 AND ?2
                """, arguments: [oldest.id, newest.id])
        let messages = parts.reduce(0) { $0 + max($1.count, 0) }
        var bytes = parts.reduce(0) { $0 + $1.bytes + bytesAPart }
        bytes += (try notes?[0] ?? 0) * bytesANote + (try notes?[1] ?? 0)
        guard messages > 0 else { return }
        size.bytesPerMillionMessages = Int(Double(bytes) * 1_000_000 / Double(messages))
    }
}
