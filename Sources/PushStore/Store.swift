internal import FoundationEssentials
internal import GRDB

/// The durable queue and the registry, in one SQLite file.
///
/// **Promises.** What a writing call did is on disk when it returns (`synchronous=FULL`). No transaction, read or
/// write, exceeds 5 000 rows. All calls are synchronous; call them from threads that may wait.
/// **Failures.** ``StoreError``; a refused or failed call changed nothing beyond what its documentation names.
/// **Neighbours.** The store itself only opens and hands out doors, each with one capability: what reads cannot write.
///
/// - The registry: ``catalogue``, ``catalogueWriter(key:)``, ``credentials(key:)``, ``instanceKey(at:)``.
/// - Subscribers: ``subscribers``, ``subscriberImporter``, ``quarantine``, ``quarantineWriter``, ``feedback``.
/// - Deliveries: ``deliveries``, ``deliverySubmitter``.
/// - The master: ``work``, ``preparation``, ``outcomes`` on its writer thread, ``messageReader()`` on its reader's.
/// - Whether verdicts about tokens are believed: ``trust``, ``verdicts``.
package final class Store: Sendable {
    package let path: String
    private let writer: Connection
    private let reader: Connection
    private let busyTimeout: Double

    /// Opens the store, creating file (mode 0600) and folder where they are absent, and migrates it.
    /// - Parameters:
    ///   - busyTimeoutMilliseconds: how long to wait for another process that writes.
    ///   - maximumPages: a bound on the file's size in pages of 4 KiB; nil is SQLite's own.
    package static func open(
        path: String, busyTimeoutMilliseconds: Int = 10_000, maximumPages: Int? = nil
    ) throws(StoreError) -> Store {
        do throws(PrivateFile.Failure) {
            if !PrivateFile.exists(path) {
                try PrivateFile.createFolder(of: path)
                // SQLite gives its log and index files the mode of the store's.
                _ = try PrivateFile.create(path, containing: [])
            }
        } catch {
            guard case .system(let why) = error else { throw StoreError(.unwritable, path: path) }
            throw StoreError(.cannotOpen(why: why), path: path)
        }
        return try Store(path: path, busyTimeout: Double(busyTimeoutMilliseconds) / 1_000, maximumPages: maximumPages)
    }

    private init(path: String, busyTimeout: Double, maximumPages: Int?) throws(StoreError) {
        self.path = path
        self.busyTimeout = busyTimeout
        // A file that is not ours, or not yet understood, must not be changed: look before writing.
        try Self.inspect(try Connection.reading(path: path, busyTimeout: busyTimeout))
        writer = try Connection.writing(path: path, busyTimeout: busyTimeout, maximumPages: maximumPages)
        try Self.migrate(writer)
        reader = try Connection.reading(path: path, busyTimeout: busyTimeout)
    }

    private static func inspect(_ connection: Connection) throws(StoreError) {
        try connection.read("open") { db in
            // The migrator's own table comes first: a store that another process is just making has nothing else.
            let tables = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'")
            if tables == 0 { return }
            guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID else {
                throw StoreError(.notAStore, path: connection.path)
            }
            if try Schema.migrator.hasBeenSuperseded(db) {
                let known = Set(Schema.migrator.migrations)
                let unknown = try Schema.migrator.appliedIdentifiers(db).subtracting(known).sorted()
                throw StoreError(.newerVersion(unknown: unknown.joined(separator: ", ")), path: connection.path)
            }
        }
    }

    /// Two processes may open a new store at once: the slower one finds the work done.
    private static func migrate(_ connection: Connection) throws(StoreError) {
        do {
            try connection.migrate(Schema.migrator)
        } catch {
            let isDone = try connection.read("open") { try Schema.migrator.hasCompletedMigrations($0) }
            guard isDone else { throw error }
        }
    }

    /// The instance's key: made when the store has never had one, otherwise the one the store was made with.
    /// - Parameter keyPath: nil is `instance.key` beside the store.
    package func instanceKey(at keyPath: String? = nil) throws(StoreError) -> InstanceKey {
        let keyPath = keyPath ?? PrivateFile.folder(of: path) + "/instance.key"
        let known = try reader.read("read the key's mark") { try Self.keyMark($0) }
        let key: InstanceKey
        if let present = try InstanceKey.load(from: keyPath, store: path) {
            key = present
        } else {
            guard known == nil else { throw StoreError(.keyMissing(path: keyPath), path: path) }
            key = try InstanceKey.create(at: keyPath, store: path)
        }
        let mark: [UInt8]?
        if let known { mark = known } else { mark = try note(key.mark) }
        guard mark == key.mark else { throw StoreError(.keyForeign(path: keyPath), path: path) }
        return key
    }

    /// - Returns: the mark that counts: another process may have been faster.
    private func note(_ mark: [UInt8]) throws(StoreError) -> [UInt8]? {
        try writer.write("note the key's mark") { db in
            try db.execute(
                sql: "INSERT INTO instance (only, key_mark) VALUES (1, ?) ON CONFLICT DO NOTHING",
                arguments: [Data(mark)])
            return try Self.keyMark(db)
        }
    }

    private static func keyMark(_ db: Database) throws -> [UInt8]? {
        try Data.fetchOne(db, sql: "SELECT key_mark FROM instance").map(Array.init)
    }

    package var catalogue: Catalogue { Catalogue(connection: reader) }
    package func catalogueWriter(key: InstanceKey) -> CatalogueWriter {
        CatalogueWriter(connection: writer, key: key)
    }
    package func credentials(key: InstanceKey) -> CredentialReader { CredentialReader(connection: reader, key: key) }
    package var subscribers: SubscriberReader { SubscriberReader(connection: reader) }
    package var subscriberImporter: SubscriberImporter { SubscriberImporter(connection: writer) }
    package var deliveries: DeliveryReader { DeliveryReader(connection: reader) }
    package var deliverySubmitter: DeliverySubmitter { DeliverySubmitter(connection: writer) }
    package var work: WorkReader { WorkReader(connection: reader) }
    package var preparation: PreparationWriter { PreparationWriter(connection: writer) }
    package var outcomes: OutcomeWriter { OutcomeWriter(connection: writer) }
    package var tokens: TokenWriter { TokenWriter(connection: writer) }
    package var feedback: FeedbackWriter { FeedbackWriter(connection: writer) }
    package var verdicts: VerdictWriter { VerdictWriter(connection: writer) }
    package var trust: TrustReader { TrustReader(connection: reader) }
    package var quarantine: QuarantineReader { QuarantineReader(connection: reader) }
    package var quarantineWriter: QuarantineWriter { QuarantineWriter(connection: writer) }
    package var inspection: StoreInspection { StoreInspection(reader: reader, writer: writer) }

    /// What lies in this store, for groups of units. - Parameter name: of the process that writes them.
    package func writeEngine(name: String) -> some WriteEngine { SQLiteWriteEngine(connection: writer, name: name) }
    package var repair: DeliveryRepair { DeliveryRepair(reader: reader, writer: writer) }

    /// For the master's reader thread: a connection of its own, one for each call of this function.
    package func messageReader() throws(StoreError) -> MessageReader {
        MessageReader(connection: try Connection.reading(path: path, busyTimeout: busyTimeout))
    }
}
