internal import GRDB
internal import Glibc
internal import PushModel
internal import Synchronization

/// One SQLite connection and the rules that all of them obey. Reading and writing ones are made by different
/// initialisers, and SQLite itself refuses writes on the former.
final class SQLiteConnection: EngineConnection {
    let path: String
    private let queues: Queues
    /// Among the processes that write; nil for a connection that only reads.
    private let turns: WriteTurns?
    /// The largest write transaction so far, in rows changed.
    private let largest = Mutex(0)

    private enum Queues {
        case writing(DatabaseQueue)
        case reading(ReadPool<DatabaseQueue>)
    }

    /// Turns are waited for longer than SQLite's lock is: whoever stands in a queue sees it move.
    private static let turnsPerBusyTimeout = 12.0

    private init(
        writing path: String, busyTimeout: Double, _ configuration: Configuration
    ) throws(StoreError) {
        self.path = path
        turns = WriteTurns(
            besideStore: path,
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

    /// - Parameter maximumPages: a bound on the file's size; nil is SQLite's own.
    static func writing(path: String, busyTimeout: Double, maximumPages: Int?) throws(StoreError)
        -> SQLiteConnection
    {
        var configuration = common(busyTimeout: busyTimeout)
        configuration.prepareDatabase { db in
            // A commit is on disk when it returns: in WAL mode only FULL syncs the log at each commit.
            let mode = try enterWAL(db, busyTimeout: busyTimeout)
            guard mode == "wal" else {
                throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "no WAL here")
            }
            try db.execute(
                sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY")
            // What a long read made the log grow by is given back when it is begun anew.
            try db.execute(sql: "PRAGMA journal_size_limit = \(longestLogBytes)")
            if let maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
            dropStatistics(db)
        }
        return try SQLiteConnection(writing: path, busyTimeout: busyTimeout, configuration)
    }

    /// Statements are written for the plans that SQLite makes without statistics. Those of an operator's ANALYZE are wrong
    /// once tables have grown, and with them SQLite reads tables whole that it takes for tiny. If another process keeps
    /// this one from dropping them, the next opening does it.
    private static func dropStatistics(_ db: Database) {
        try? db.execute(sql: "DROP TABLE IF EXISTS sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4")
    }

    /// A new file enters WAL mode with its first opening. That takes a lock for which SQLite does not wait,
    /// whatever the busy timeout says: of two processes that open the file at once, one would fail.
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

    private static let longestLogBytes = 64 << 20
    private static let lockPollMicroseconds: UInt32 = 5_000

    /// - Parameter atOnce: reads that wait for no other; 1 is a connection for one thread.
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

    /// A commit has ended when its call returns, be it with an error: nothing is under way that this would
    /// not see.
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

    /// Without a turn, which others would wait for as long as it takes.
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

    /// Statements that are kept: GRDB's savepoints are prepared anew each time, which takes longer than most
    /// reads.
    private static func read<Value>(_ db: Database, _ body: (any Session) throws -> Value) throws -> Value {
        let session = SQLiteSession(db)
        try session.statement("BEGIN").run()
        defer {
            do { try session.statement("COMMIT").run() } catch {
                // After some errors SQLite has ended it already.
                if db.isInsideTransaction { try? session.statement("ROLLBACK").run() }
            }
        }
        return try body(session)
    }

    /// - Throws: where this connection only reads, which is asking for what it was not made for.
    private var writing: DatabaseQueue {
        get throws {
            guard case .writing(let queue) = queues else { throw DatabaseError(resultCode: .SQLITE_READONLY) }
            return queue
        }
    }

    private func noteChanges(_ count: Int) { largest.withLock { $0 = max($0, count) } }

    /// Brings the tables up to this version. Many processes may open a new store at once: whoever comes upon a
    /// step that another has just done goes on from there.
    /// - Parameter isCopy: whether a new store is marked as a copy that is not finished.
    func migrate(isCopy: Bool = false) throws(StoreError) {
        var known = 0
        while true {
            do { return try SQLiteSchema.migrator(isCopy: isCopy).migrate(try writing) } catch {
                let done =
                    (try? writing.read { try SQLiteSchema.migrator().appliedIdentifiers($0).count }) ?? 0
                // Without a step since the last attempt, by anybody, it is this one's own trouble.
                guard done > known else { throw StoreError(error, during: "migrate", path: path) }
                known = done
            }
        }
    }

    /// What a file is.
    enum Content {
        case nothing, store, olderStore, unfinishedCopy
    }

    /// Refuses a file that is no store, and one that a later version made, or one whose stores this version
    /// does not know any more. To be asked of a connection that only reads: a file that is not ours must not
    /// be changed.
    func inspect() throws(StoreError) -> Content {
        do {
            guard case .reading(let pool) = queues else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
            return try pool.use { queue in
                try queue.read { db in
                    let session = SQLiteSession(db)
                    // The migrator's own table comes first: a store that another process is just making has
                    // nothing else.
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
    /// - Returns: false where other connections kept it from that.
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
    /// Closes SQLite's connection and keeps what GRDB has around it: to give back its dispatch queue takes a
    /// thread of Dispatch, and where none can be started Dispatch tries for ever. A process has few
    /// connections.
    func leave() {
        try? close()
        unsafe _ = Unmanaged.passRetained(self)
    }
}
