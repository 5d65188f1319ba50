internal import PushModel

/// A backup that copies a store from a server into a SQLite file, table by table, within one transaction that
/// sees a single committed state (REPEATABLE READ, read only). No other client waits for it. `pg_dump` and
/// the server's own backups are equally good, but this backup can be restored to either engine.
struct PostgreSQLBackup {
    let source: any StoreEngine
    let destination: String

    /// - Returns: `false` if `proceed` ended the backup.
    func run(at now: WallMoment, _ proceed: @escaping (BackupProgress) -> Bool) throws(StoreError) -> Bool {
        guard try copy(at: now, proceed) else { return false }
        try SQLiteStore.makeOneFile(destination)
        return true
    }

    private func copy(
        at now: WallMoment, _ proceed: @escaping (BackupProgress) -> Bool
    ) throws(StoreError) -> Bool {
        let engine = try Store.engine(
            .sqlite(path: destination), for: .copyDestination, busyTimeoutMilliseconds: 10_000)
        let copy = CopyDestination(engine: engine)
        try copy.begin()
        var step = StoreCopy.Step { copied in
            var progress = BackupProgress()
            progress.copy = copied
            return proceed(progress)
        }
        do throws(StoreError) {
            let source = source
            try source.lone().read("back it up") { db in
                // The transaction sees the state as of its first read.
                _ = try Store.keyMark(db)
                let snapshot = Connection(SnapshotConnection(db, source.place), path: source.place)
                _ = try StoreCopy.copy(db, as: snapshot, to: copy, &step)
            }
        } catch {
            guard step.wasEnded else { throw error }
            return false
        }
        try engine.writer.write("end a backup") { try BackupMark.set(at: now, $0) }
        try copy.end()
        return true
    }
}

/// A reading transaction in the form of a connection.
///
/// **The fence:** used by the thread of the transaction, while the transaction lasts.
private final class SnapshotConnection: EngineConnection, @unchecked Sendable {
    private let db: any Session
    private let place: String

    init(_ db: any Session, _ place: String) {
        self.db = db
        self.place = place
    }

    func read<Value>(_ body: (any Session) throws -> Value) throws -> Value { try body(db) }
    func readSettled<Value>(_ body: (any Session) throws -> Value) throws -> Value { try body(db) }
    func write<Value>(settles: Bool, _ body: (any Session) throws -> Value) throws -> Value {
        throw StoreError(.unwritable, path: place)
    }
    func hold<Value>(_ body: (any Session) throws -> Value) throws -> Value { try write(settles: true, body) }
    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> WrittenGroup
    ) throws(TransactionFailure) {
        throw TransactionFailure(StoreError(.unwritable, path: place), mayBeCommitted: false)
    }
    func storeError(_ error: any Error, during what: String) -> StoreError {
        StoreError(error, during: what, path: place)
    }
    var largestWrite: Int { 0 }
}
