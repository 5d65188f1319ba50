/// The last id that an engine assigned to a row of a table, whether or not that row still exists.
struct NumberSequence {
    let table: StoreTable
    let db: any Session

    /// Returns the last id; 0 if there is none.
    func last() throws -> Int64 {
        let most = try db.value(Int64.self, sql: "SELECT max(id) FROM \(table.quotedName)") ?? 0
        let given =
            switch db.dialect {
            case .sqlite:
                try db.value(
                    Int64.self, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?1",
                    arguments: [table.name])
            case .postgreSQL:
                try db.value(
                    Int64.self,
                    sql: "SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(?1, 'id') AS REGCLASS))",
                    arguments: [table.name])
            }
        return max(most, given ?? 0)
    }

    func set(last: Int64) throws {
        switch db.dialect {
        case .sqlite:
            try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?1", arguments: [table.name])
            // Only tables whose ids are never reused have a sequence.
            try db.execute(
                sql: """
                    INSERT INTO sqlite_sequence (name, seq) SELECT name, CAST(?2 AS BIGINT) FROM sqlite_master
                    WHERE type = 'table' AND name = ?1 AND sql LIKE '%AUTOINCREMENT%' AND ?2 > 0
                    """, arguments: [table.name, last])
        case .postgreSQL:
            _ = try db.row(
                sql:
                    """
                    SELECT setval(CAST(pg_get_serial_sequence(?1, 'id') AS REGCLASS), greatest(?2, 1), \
                    ?2 > 0)
                    """,
                arguments: [table.name, last])
        }
    }
}
