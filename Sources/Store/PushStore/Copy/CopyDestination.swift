/// All operations that a copy performs on its destination, except writing rows.
struct CopyDestination {
    let engine: any StoreEngine
    private var connection: Connection { engine.writer }

    /// Marks the destination as an unfinished copy, unless it is already marked. Refuses a store that has
    /// been used.
    func begin() throws(StoreError) {
        try connection.write("begin a copy") { db in
            if try CopyMark.isSet(db) { return }
            for table in StoreTable.all where !StoreTable.bookkeeping.contains(table.name) {
                let used = "SELECT 1 FROM \(table.quotedName) \(table.usedRows) LIMIT 1"
                guard try db.value(Int64.self, sql: used) == nil else {
                    throw StoreError(.notEmpty, path: connection.path)
                }
            }
            try CopyMark.set(db)
        }
    }

    /// Removes the contents of an unfinished copy: on PostgreSQL immediately, because `TRUNCATE` only
    /// replaces files; on SQLite in short steps.
    func empty(_ proceed: () throws -> Void) throws {
        let isDone = try connection.write("empty an unfinished copy") { db in
            guard db.dialect == .postgreSQL else { return false }
            try db.execute(sql: "TRUNCATE \(StoreTable.all.map(\.quotedName).joined(separator: ", "))")
            return true
        }
        guard !isDone else { return try proceed() }
        for table in StoreTable.all {
            guard let column = table.laterReference else { continue }
            let key = table.keyList
            try delete(proceed) { db, limit in
                try db.execute(
                    sql: """
                        UPDATE \(table.quotedName) SET \(column) = NULL WHERE \(key) IN (
                            SELECT \(key) FROM \(table.quotedName) WHERE \(column) IS NOT NULL LIMIT ?1)
                        """, arguments: [limit])
            }
        }
        for table in StoreTable.all.reversed() {
            let key = table.keyList
            try delete(proceed) { db, limit in
                try db.execute(
                    sql: """
                        DELETE FROM \(table.quotedName) WHERE (\(key)) IN (
                            SELECT \(key) FROM \(table.quotedName) ORDER BY \(key) LIMIT ?1)
                        """, arguments: [limit])
            }
        }
    }

    private func delete(
        _ proceed: () throws -> Void, _ step: (_ db: any Session, _ limit: Int) throws -> Int
    ) throws {
        while try connection.write("empty an unfinished copy", { try step($0, Self.rowsPerStep) }) > 0 {
            try proceed()
        }
    }

    private static let rowsPerStep = 2_000

    /// Removes the mark, so that the destination becomes a store.
    func end() throws(StoreError) {
        try connection.write("end a copy") { db in try CopyMark.remove(db) }
    }
}

/// Distinguishes an unfinished copy from a store. From the mark, every version of PushMTA, including older
/// ones, recognises that the copy must not be touched. The mark is set before the first row is written, and
/// removed after everything has been compared.
enum CopyMark {
    static func isSet(_ db: any Session) throws -> Bool {
        switch db.dialect {
        case .sqlite: try db.value(Int.self, sql: "PRAGMA application_id") == SQLiteSchema.unfinishedCopyID
        case .postgreSQL:
            try db.value(Int.self, sql: "SELECT version FROM store") ?? 0 >= PostgreSQLSchema.unfinishedCopy
        }
    }

    static func set(_ db: any Session) throws {
        try change(
            db, sqlite: SQLiteSchema.unfinishedCopyID,
            PostgreSQLSchema.unfinishedCopy + PostgreSQLSchema.version)
    }

    static func remove(_ db: any Session) throws {
        try change(db, sqlite: SQLiteSchema.applicationID, PostgreSQLSchema.version)
    }

    private static func change(_ db: any Session, sqlite id: Int, _ version: Int) throws {
        switch db.dialect {
        case .sqlite: try db.execute(sql: "PRAGMA application_id = \(id)")
        case .postgreSQL: try db.execute(sql: "UPDATE store SET version = ?1", arguments: [version])
        }
    }
}
