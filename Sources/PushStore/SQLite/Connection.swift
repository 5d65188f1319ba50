internal import GRDB
internal import Glibc
internal import PushModel
internal import Synchronization

/// One SQLite connection and the rules that all of them obey. Reading and writing ones are made by different
/// initialisers, and SQLite itself refuses writes on the former.
final class Connection: Sendable {
    /// What one transaction may touch at most, read or write, so that nobody waits long for anybody.
    static let maximumRows = 5_000
    /// What a chunk may have of them, so that its bookkeeping fits as well.
    static let chunkRows = maximumRows - 20

    let path: String
    private let queues: Queues
    /// Among the processes that write; nil for a connection that only reads.
    private let turns: WriteTurns?
    /// The largest write transaction so far, in rows changed.
    private let largest = Mutex(0)

    private enum Queues {
        case writing(DatabaseQueue)
        case reading(ReadPool)
        /// Writes are led away from this connection.
        case relayed(Connection, WriteRelay)
    }

    private init(writing path: String, _ configuration: Configuration) throws(StoreError) {
        self.path = path
        turns = WriteTurns(besideStore: path)
        do { queues = .writing(try DatabaseQueue(path: path, configuration: configuration)) } catch {
            throw StoreError(opening: error, path: path)
        }
    }

    /// The same connection, whose writes go through the relay.
    init(_ connection: Connection, through relay: WriteRelay) {
        path = connection.path
        turns = nil
        queues = .relayed(connection, relay)
    }

    private init(reading path: String, atOnce: Int, _ configuration: Configuration) throws(StoreError) {
        self.path = path
        turns = nil
        do {
            let pool = try ReadPool(atMost: atOnce) { try DatabaseQueue(path: path, configuration: configuration) }
            queues = .reading(pool)
        } catch {
            throw StoreError(opening: error, path: path)
        }
    }

    deinit {
        switch queues {
        case .writing(let queue): queue.leave()
        case .reading(let pool): pool.close()
        case .relayed: break
        }
    }

    /// - Parameter maximumPages: a bound on the file's size; nil is SQLite's own.
    static func writing(path: String, busyTimeout: Double, maximumPages: Int?) throws(StoreError) -> Connection {
        var configuration = common(busyTimeout: busyTimeout)
        configuration.prepareDatabase { db in
            // A commit is on disk when it returns: in WAL mode only FULL syncs the log at each commit.
            let mode = try enterWAL(db, busyTimeout: busyTimeout)
            guard mode == "wal" else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "no WAL here") }
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY")
            if let maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        return try Connection(writing: path, configuration)
    }

    /// A new file enters WAL mode with its first opening. That takes a lock for which SQLite does not wait, whatever
    /// the busy timeout says: of two processes that open the file at once, one would fail.
    private static func enterWAL(_ db: Database, busyTimeout: Double) throws -> String? {
        let end = ContinuousClock.now + .seconds(busyTimeout)
        while true {
            do {
                return try SQLiteSession(db).value(String.self, sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
                usleep(lockPollMicroseconds)
            }
        }
    }

    private static let lockPollMicroseconds: UInt32 = 5_000

    /// - Parameter atOnce: reads that wait for no other; 1 is a connection for one thread.
    static func reading(path: String, busyTimeout: Double, atOnce: Int) throws(StoreError) -> Connection {
        var configuration = common(busyTimeout: busyTimeout)
        configuration.readonly = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY")
        }
        return try Connection(reading: path, atOnce: atOnce, configuration)
    }

    private static func common(busyTimeout: Double) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.label = "store"
        return configuration
    }

    /// One read transaction: everything in it sees the same committed state; within a group, what the group sees.
    /// - Parameters:
    ///   - what: completes "failed to" in an error.
    ///   - delivery: whose rows they are, for an error.
    func read<Value>(
        _ what: String, of delivery: DeliveryID? = nil, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        do {
            switch queues {
            case .relayed(let connection, _): return try connection.read(what, of: delivery, body)
            case .reading(let pool): return try pool.read { try body(SQLiteSession($0)) }
            case .writing(let queue):
                return try queue.unsafeReentrantRead { db in
                    if db.isInsideTransaction { return try body(SQLiteSession(db)) }
                    return try db.readOnly { try Self.transaction(.deferred, db, body) }
                }
            }
        } catch {
            let error = StoreError(error, during: what, path: path)
            throw delivery.map { error.met(in: $0) } ?? error
        }
    }

    /// One write transaction, begun with the write lock in hand; an error rolls all of it back. Within a
    /// ``group(_:_:)`` it is a part of the group's, which an error of it is to end.
    /// - Parameter delivery: whose rows they are, for an error.
    @discardableResult
    func write<Value>(
        _ what: String, of delivery: DeliveryID? = nil, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        if case .relayed(let connection, let relay) = queues {
            return try relay.write(to: connection, what, of: delivery, body)
        }
        do {
            return try writing.unsafeReentrantWrite { db in
                if db.isInsideTransaction { return try body(SQLiteSession(db)) }
                let before = db.totalChangesCount
                let value = try inTurn(.guest) { try Self.transaction(.immediate, db, body) }
                noteChanges(db.totalChangesCount - before)
                return value
            }
        } catch {
            let error = StoreError(error, during: what, path: path)
            throw delivery.map { error.met(in: $0) } ?? error
        }
    }

    /// What the body writes through this connection's doors, in one transaction. Where that changed anything, `note` is
    /// run before the commit.
    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> Void
    ) throws(TransactionFailure) {
        var isCommitting = false
        do {
            try writing.unsafeReentrantWrite { db in
                let before = db.totalChangesCount
                try inTurn(.service) {
                    try Self.transaction(.immediate, db) { _ in
                        try body()
                        guard db.totalChangesCount > before else { return }
                        try note(SQLiteSession(db))
                        noteChanges(db.totalChangesCount - before)
                        isCommitting = true
                    }
                }
            }
        } catch {
            throw TransactionFailure(StoreError(error, during: "write", path: path), mayBeCommitted: isCommitting)
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

    /// - Throws: where this connection only reads, which is asking for what it was not made for.
    private var writing: DatabaseQueue {
        get throws {
            guard case .writing(let queue) = queues else { throw DatabaseError(resultCode: .SQLITE_READONLY) }
            return queue
        }
    }

    private func noteChanges(_ count: Int) { largest.withLock { $0 = max($0, count) } }

    /// Brings the tables up to this version. Two processes may open a new store at once: the slower one finds the work
    /// done.
    func migrate() throws(StoreError) {
        do { try Schema.migrator.migrate(try writing) } catch {
            let isDone = try? writing.read { try Schema.migrator.hasCompletedMigrations($0) }
            if isDone != true { throw StoreError(error, during: "migrate", path: path) }
        }
    }

    /// Refuses a file that is no store, and one that a later version made. To be asked of a connection that only reads: a
    /// file that is not ours must not be changed.
    /// - Returns: whether an earlier version made it.
    func inspect() throws(StoreError) -> Bool {
        do {
            guard case .reading(let pool) = queues else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
            return try pool.read { db in
                let session = SQLiteSession(db)
                // The migrator's own table comes first: a store that another process is just making has nothing else.
                let tables = try session.value(
                    Int.self, sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'")
                if tables == 0 { return false }
                guard try session.value(Int.self, sql: "PRAGMA application_id") == Schema.applicationID else {
                    throw StoreError(.notAStore, path: path)
                }
                guard try Schema.migrator.hasBeenSuperseded(db) else {
                    return try !Schema.migrator.hasCompletedMigrations(db)
                }
                let unknown = try Schema.migrator.appliedIdentifiers(db).subtracting(Schema.migrator.migrations)
                throw StoreError(.newerVersion(unknown: unknown.sorted().joined(separator: ", ")), path: path)
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
