internal import GRDB
internal import GRDBSQLite
internal import PushModel

/// Copies a store's file page by page within one read transaction (sqlite.org, "SQLite Backup API"): whoever
/// writes meanwhile waits for nothing, and the copy begins no page anew, because its connection sees one
/// moment throughout. Faster than `VACUUM INTO`, which builds every tree again, so the log grows less meanwhile;
/// free pages come along.
struct SQLiteBackup {
    let source: String
    let destination: String
    let busyTimeout: Double

    private static let pagesPerStep: Int32 = 256

    /// - Returns: false where `proceed` ended it.
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
            // The transaction sees its moment from the first read on.
            _ = try SQLiteSession(from).value(Int.self, sql: "SELECT count(*) FROM backup")
            return try to.writeWithoutTransaction { try Self.copy(from, to: $0, proceed) }
        }
        guard isWhole else { return false }
        try to.writeWithoutTransaction { db in
            // One file alone: no log beside it, which a restore could forget.
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
    /// Of a store that nobody has open: no log stays beside it.
    static func makeOneFile(_ path: String) throws(StoreError) {
        do {
            let queue = try DatabaseQueue(path: path)
            defer { queue.leave() }
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        } catch {
            throw StoreError(error, during: "back it up", path: path)
        }
    }
}
