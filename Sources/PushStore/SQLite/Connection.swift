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
    private let queue: DatabaseQueue
    private let isReadOnly: Bool
    /// Among the processes that write; nil for a connection that only reads.
    private let turns: WriteTurns?
    /// The largest write transaction so far, in rows changed.
    private let largest = Mutex(0)

    private init(path: String, configuration: Configuration) throws(StoreError) {
        self.path = path
        isReadOnly = configuration.readonly
        turns = configuration.readonly ? nil : WriteTurns(besideStore: path)
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw StoreError(opening: error, path: path)
        }
    }

    /// Closes SQLite's connection and keeps what GRDB has around it: to give back its dispatch queue takes a thread of
    /// Dispatch, and where none can be started Dispatch tries for ever. A process has few connections.
    deinit {
        try? queue.close()
        unsafe _ = Unmanaged.passRetained(queue)
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
        return try Connection(path: path, configuration: configuration)
    }

    /// A new file enters WAL mode with its first opening. That takes a lock for which SQLite does not wait, whatever
    /// the busy timeout says: of two processes that open the file at once, one would fail.
    private static func enterWAL(_ db: Database, busyTimeout: Double) throws -> String? {
        let end = ContinuousClock.now + .seconds(busyTimeout)
        while true {
            do {
                return try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
                usleep(lockPollMicroseconds)
            }
        }
    }

    private static let lockPollMicroseconds: UInt32 = 5_000

    static func reading(path: String, busyTimeout: Double) throws(StoreError) -> Connection {
        var configuration = common(busyTimeout: busyTimeout)
        configuration.readonly = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY")
        }
        return try Connection(path: path, configuration: configuration)
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
        _ what: String, of delivery: DeliveryID? = nil, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        do {
            if isReadOnly { return try queue.read(body) }
            return try queue.unsafeReentrantRead { db in
                if db.isInsideTransaction { return try body(db) }
                return try db.readOnly { try Self.transaction(.deferred, db, body) }
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
        _ what: String, of delivery: DeliveryID? = nil, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        do {
            return try queue.unsafeReentrantWrite { db in
                if db.isInsideTransaction { return try body(db) }
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
        _ body: () throws(StoreError) -> Void, note: (Database) throws -> Void
    ) throws(TransactionFailure) {
        var isCommitting = false
        do {
            try queue.unsafeReentrantWrite { db in
                let before = db.totalChangesCount
                try inTurn(.service) {
                    try Self.transaction(.immediate, db) { db in
                        try body()
                        guard db.totalChangesCount > before else { return }
                        try note(db)
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
        _ kind: Database.TransactionKind, _ db: Database, _ body: (Database) throws -> Value
    ) throws -> Value {
        var value: Value?
        try db.inTransaction(kind) {
            value = try body(db)
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

    private func noteChanges(_ count: Int) { largest.withLock { $0 = max($0, count) } }

    /// For migrations, which open their own transactions.
    func migrate(_ migrator: DatabaseMigrator) throws(StoreError) {
        do { try migrator.migrate(queue) } catch { throw StoreError(error, during: "migrate", path: path) }
    }

    /// Moves the whole log into the store's file.
    /// - Returns: false where other connections kept it from that.
    func checkpoint() throws(StoreError) -> Bool {
        do {
            return try queue.writeWithoutTransaction { db in
                let row = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                return row?[0] == 0
            }
        } catch {
            throw StoreError(error, during: "write its log back", path: path)
        }
    }

    var largestWrite: Int { largest.withLock { $0 } }
}
