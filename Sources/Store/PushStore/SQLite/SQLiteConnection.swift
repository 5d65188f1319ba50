internal import GRDB
internal import Glibc
internal import PushModel
internal import Synchronization

/// One SQLite connection, and the rules that apply to all connections. Reading and writing connections have
/// different initialisers, and SQLite itself refuses writes on a reading one.
final class SQLiteConnection: EngineConnection {
    let path: String
    private let queues: Queues
    /// The order among the processes that write; `nil` for a read-only connection.
    private let turns: WriteTurns?
    /// The size of the largest write transaction so far, in changed rows.
    private let largest = Mutex(0)

    private enum Queues {
        case writing(DatabaseQueue)
        case reading(ReadPool<DatabaseQueue>)
    }

    /// The time to wait for a turn, as a multiple of SQLite's busy timeout. It is longer than the wait for
    /// SQLite's lock, because a process in the queue sees the queue move.
    private static let turnsPerBusyTimeout = 12.0

    private init(
        writing path: String, busyTimeout: Double, _ configuration: Configuration
    ) throws(StoreError) {
        self.path = path
        turns = WriteTurns(
            forStore: path,
            patienceMilliseconds: Int64(busyTimeout * Self.turnsPerBusyTimeout * 1_000))
        do { queues = .writing(try DatabaseQueue(path: path, configuration: configuration)) } catch {
            throw StoreError(opening: error, path: path)
        }
    }

    private init(reading path: String, atOnce: Int, _ configuration: Configuration) throws(StoreError) {
        self.path = path
        turns = nil
        do {
            let pool = try ReadPool(atMost: atOnce) {
                try DatabaseQueue(path: path, configuration: configuration)
            }
            queues = .reading(pool)
        } catch {
            throw StoreError(opening: error, path: path)
        }
    }

    deinit {
        switch queues {
        case .writing(let queue): queue.leave()
        case .reading(let pool): pool.close { $0.leave() }
        }
    }

    /// - Parameter maximumPages: The maximum size of the file, in pages; `nil` for SQLite's own limit.
    static func writing(path: String, busyTimeout: Double, maximumPages: Int?) throws(StoreError)
        -> SQLiteConnection
    {
        var configuration = common(busyTimeout: busyTimeout)
        configuration.prepareDatabase { db in
            // A commit is on disk when it returns. In WAL mode, only FULL syncs the log at each commit.
            let mode = try enterWAL(db, busyTimeout: busyTimeout)
            guard mode == "wal" else {
                throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "WAL mode is not available here")
            }
            try db.execute(
                sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY")
            // A long read makes the log grow. With this limit, the extra space is released when the log is
            // restarted.
            try db.execute(sql: "PRAGMA journal_size_limit = \(maxLogBytes)")
            if let maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
            dropStatistics(db)
        }
        return try SQLiteConnection(writing: path, busyTimeout: busyTimeout, configuration)
    }

    /// The statements are written for the plans that SQLite makes without statistics. Statistics from an
    /// operator's ANALYZE become wrong when tables grow: SQLite then assumes that large tables are tiny and
    /// scans them completely. If another process prevents this process from dropping the statistics, they are
    /// dropped when the store is next opened.
    private static func dropStatistics(_ db: Database) {
        try? db.execute(sql: "DROP TABLE IF EXISTS sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4")
    }

    /// Sets WAL mode, which a new file enters when it is first opened. This takes a lock for which SQLite
    /// does not wait, regardless of the busy timeout. If two processes open the file at once, one of them
    /// fails and tries again.
    private static func enterWAL(_ db: Database, busyTimeout: Double) throws -> String? {
        let end = ContinuousClock.now + .seconds(busyTimeout)
        while true {
            do {
                return try SQLiteSession(db).value(String.self, sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end
            {
                usleep(lockPollMicroseconds)
            }
        }
    }

    private static let maxLogBytes = 64 << 20
    private static let lockPollMicroseconds: UInt32 = 5_000

    /// - Parameter atOnce: The number of concurrent reads; 1 makes a connection for one thread.
    static func reading(path: String, busyTimeout: Double, atOnce: Int) throws(StoreError) -> SQLiteConnection
    {
        var configuration = common(busyTimeout: busyTimeout)
        configuration.readonly = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY")
        }
        return try SQLiteConnection(reading: path, atOnce: atOnce, configuration)
    }

    private static func common(busyTimeout: Double) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.label = "store"
        return configuration
    }

    func read<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        switch queues {
        case .reading(let pool): return try pool.use { try $0.unsafeRead { try Self.read($0, body) } }
        case .writing(let queue):
            return try queue.unsafeReentrantRead { db in
                if db.isInsideTransaction { return try body(SQLiteSession(db)) }
                return try db.readOnly { try Self.transaction(.deferred, db, body) }
            }
        }
    }

    /// A commit has ended when its call returns, even if it returns an error, so no commit can be in progress
    /// that this read would miss.
    func readSettled<Value>(_ body: (any Session) throws -> Value) throws -> Value { try read(body) }

    func write<Value>(settles: Bool, _ body: (any Session) throws -> Value) throws -> Value {
        try writing.unsafeReentrantWrite { db in
            if db.isInsideTransaction { return try body(SQLiteSession(db)) }
            let before = db.totalChangesCount
            let value = try inTurn(.guest) { try Self.transaction(.immediate, db, body) }
            noteChanges(db.totalChangesCount - before)
            return value
        }
    }

    /// Takes no turn, because other processes would wait for that turn for as long as the body runs.
    func hold<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        try writing.unsafeReentrantWrite { try Self.transaction(.immediate, $0, body) }
    }

    func storeError(_ error: any Error, during what: String) -> StoreError {
        StoreError(error, during: what, path: path)
    }

    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> WrittenGroup
    ) throws(TransactionFailure) {
        var isCommitting = false
        do {
            try writing.unsafeReentrantWrite { db in
                let before = db.totalChangesCount
                try inTurn(.service) {
                    try Self.transaction(.immediate, db) { _ in
                        try body()
                        guard db.totalChangesCount > before else { return }
                        _ = try note(SQLiteSession(db))
                        noteChanges(db.totalChangesCount - before)
                        isCommitting = true
                    }
                }
            }
        } catch {
            throw TransactionFailure(
                StoreError(error, during: "write", path: path), mayBeCommitted: isCommitting)
        }
    }

    private static func transaction<Value>(
        _ kind: Database.TransactionKind, _ db: Database, _ body: (any Session) throws -> Value
    ) throws -> Value {
        var value: Value?
        try db.inTransaction(kind) {
            value = try body(SQLiteSession(db))
            return .commit
        }
        guard let value else { throw UnreadableValue() }
        return value
    }

    private func inTurn<Value>(_ lane: WriteTurns.Lane, _ body: () throws -> Value) rethrows -> Value {
        guard turns != nil else { return try body() }
        let turn = turns?.wait(in: lane)
        defer { if let turn { turns?.giveBack(turn) } }
        return try body()
    }

    /// Uses cached statements. GRDB prepares its savepoints again each time, which takes longer than most
    /// reads.
    private static func read<Value>(_ db: Database, _ body: (any Session) throws -> Value) throws -> Value {
        let session = SQLiteSession(db)
        try session.statement("BEGIN").run()
        defer {
            do { try session.statement("COMMIT").run() } catch {
                // After some errors, SQLite has already ended the transaction.
                if db.isInsideTransaction { try? session.statement("ROLLBACK").run() }
            }
        }
        return try body(session)
    }

    /// - Throws: An error if this connection only reads, which is a mistake of the caller.
    private var writing: DatabaseQueue {
        get throws {
            guard case .writing(let queue) = queues else { throw DatabaseError(resultCode: .SQLITE_READONLY) }
            return queue
        }
    }

    private func noteChanges(_ count: Int) { largest.withLock { $0 = max($0, count) } }

    /// Brings the tables up to this version. Many processes may open a new store at the same time; if another
    /// process has just completed a step, this process continues from there.
    /// - Parameter isCopy: Whether a new store is marked as an unfinished copy.
    func migrate(isCopy: Bool = false) throws(StoreError) {
        var known = 0
        while true {
            do { return try SQLiteSchema.migrator(isCopy: isCopy).migrate(try writing) } catch {
                let done =
                    (try? writing.read { try SQLiteSchema.migrator().appliedIdentifiers($0).count }) ?? 0
                // If no process has completed a step since the last attempt, the error is this process's own.
                guard done > known else { throw StoreError(error, during: "migrate", path: path) }
                known = done
            }
        }
    }

    /// The content of a file.
    enum Content {
        case nothing, store, olderStore, unfinishedCopy
    }

    /// Refuses a file that is not a store, one that a later version created, and one that is too old for this
    /// version. Must be called on a connection that only reads, because a file that is not a store must not
    /// be changed.
    func inspect() throws(StoreError) -> Content {
        do {
            guard case .reading(let pool) = queues else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
            return try pool.use { queue in
                try queue.read { db in
                    let session = SQLiteSession(db)
                    // The migrator creates its own table first. A store that another process is currently
                    // creating may have only that table.
                    let tables = try session.value(
                        Int.self,
                        sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'")
                    let mark = try session.value(Int.self, sql: "PRAGMA application_id")
                    if tables == 0 {
                        return mark == SQLiteSchema.unfinishedCopyID ? .unfinishedCopy : .nothing
                    }
                    guard mark == SQLiteSchema.applicationID || mark == SQLiteSchema.unfinishedCopyID else {
                        throw StoreError(.notAStore, path: path)
                    }
                    let migrator = SQLiteSchema.migrator()
                    let steps = try migrator.appliedIdentifiers(db)
                    let unknown = steps.subtracting(SQLiteSchema.formerSteps + migrator.migrations)
                    guard unknown.isEmpty else {
                        throw StoreError(
                            .newerVersion(unknown: unknown.sorted().joined(separator: ", ")), path: path)
                    }
                    if let missing = try SQLiteSchema.missingFormerStep(session, steps) {
                        throw StoreError(.formerVersion(lacks: missing), path: path)
                    }
                    if mark == SQLiteSchema.unfinishedCopyID { return .unfinishedCopy }
                    return try migrator.hasCompletedMigrations(db) ? .store : .olderStore
                }
            }
        } catch {
            throw StoreError(error, during: "open", path: path)
        }
    }

    /// Moves the whole log into the store's file.
    /// - Returns: `false` if other connections prevented this.
    func checkpoint() throws(StoreError) -> Bool {
        do {
            return try writing.writeWithoutTransaction { db in
                try SQLiteSession(db).row(sql: "PRAGMA wal_checkpoint(TRUNCATE)")?[0] == 0
            }
        } catch {
            throw StoreError(error, during: "write its log back", path: path)
        }
    }

    var largestWrite: Int { largest.withLock { $0 } }
}

extension DatabaseQueue {
    /// Closes SQLite's connection but keeps GRDB's objects around it. Releasing their dispatch queue requires
    /// a Dispatch thread, and if none can be started, Dispatch keeps trying for ever. A process has few
    /// connections, so the objects that are kept are few.
    func leave() {
        try? close()
        unsafe _ = Unmanaged.passRetained(self)
    }
}
