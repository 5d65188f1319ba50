internal import GRDB
internal import GRDBSQLite
internal import PushModel

/// Copies a store's file page by page within one read transaction (sqlite.org, "SQLite Backup API"). Writers
/// do not wait for the copy, and no page is copied again, because the connection sees one snapshot
/// throughout. This is faster than `VACUUM INTO`, which rebuilds every tree, so the log grows less in the
/// meantime. Free pages are also copied.
struct SQLiteBackup {
    let source: String
    let destination: String
    let busyTimeout: Double

    private static let pagesPerStep: Int32 = 256

    /// - Returns: `false` if `proceed` ended the copy.
    func run(at now: WallMoment, _ proceed: (BackupProgress) -> Bool) throws -> Bool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        var reading = configuration
        reading.readonly = true
        let from = try DatabaseQueue(path: source, configuration: reading)
        defer { from.leave() }
        let to = try DatabaseQueue(path: destination, configuration: configuration)
        defer { to.leave() }
        let isWhole = try from.read { from in
            // The transaction's snapshot begins with its first read.
            _ = try SQLiteSession(from).value(Int.self, sql: "SELECT count(*) FROM backup")
            return try to.writeWithoutTransaction { try Self.copy(from, to: $0, proceed) }
        }
        guard isWhole else { return false }
        try to.writeWithoutTransaction { db in
            // Leaves a single file, without a separate log that could be forgotten when the backup is
            // restored.
            try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF")
            try db.inTransaction {
                try BackupMark.set(at: now, SQLiteSession(db))
                return .commit
            }
        }
        return true
    }

    private static func copy(
        _ source: Database, to destination: Database, _ proceed: (BackupProgress) -> Bool
    ) throws -> Bool {
        guard
            let backup = unsafe sqlite3_backup_init(
                destination.sqliteConnection, "main", source.sqliteConnection, "main")
        else { throw DatabaseError(resultCode: destination.lastErrorCode) }
        var isFinished = false
        defer { if !isFinished { unsafe _ = sqlite3_backup_finish(backup) } }
        let pageBytes = try Int.fetchOne(source, sql: "PRAGMA page_size") ?? 4_096
        while true {
            let code = unsafe sqlite3_backup_step(backup, pagesPerStep)
            guard code == SQLITE_OK || code == SQLITE_DONE else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
            var progress = BackupProgress()
            progress.totalBytes = unsafe Int(sqlite3_backup_pagecount(backup)) * pageBytes
            progress.bytes = unsafe progress.totalBytes - Int(sqlite3_backup_remaining(backup)) * pageBytes
            guard proceed(progress) else { return false }
            guard code == SQLITE_DONE else { continue }
            isFinished = true
            let end = unsafe sqlite3_backup_finish(backup)
            guard end == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: end)) }
            return true
        }
    }
}

extension SQLiteStore {
    /// Turns a store that no process has open into a single file, without a log next to it.
    static func makeOneFile(_ path: String) throws(StoreError) {
        do {
            let queue = try DatabaseQueue(path: path)
            defer { queue.leave() }
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        } catch {
            throw StoreError(error, during: "back it up", path: path)
        }
    }

    /// Adds a line to the audit trail of a store that is a single file and that no process has open.
    static func add(_ note: AuditNote, toFile path: String) throws(StoreError) {
        do {
            let queue = try DatabaseQueue(path: path)
            defer { queue.leave() }
            try queue.write { try note.write(to: SQLiteSession($0)) }
        } catch {
            throw StoreError(error, during: "write the audit trail", path: path)
        }
    }
}
