internal import FoundationEssentials
internal import Glibc

/// The durable queue and the registry, in one SQLite file.
///
/// **Promises.** What a writing call did is on disk when it returns (`synchronous=FULL`). No transaction, read or
/// write, exceeds 5 000 rows. All calls are synchronous; call them from threads that may wait.
/// **Failures.** ``StoreError``; a refused or failed call changed nothing beyond what its documentation names.
/// **Neighbours.** The store itself only opens and hands out doors, each with one capability: what reads cannot write.
///
/// - The registry: ``catalogue``, ``catalogueWriter(key:)``, ``credentials(key:)``, ``instanceKey(at:)``.
/// - Subscribers: ``subscribers``, ``subscriberFinder``, ``subscriberImporter``, ``subscriberRemover``, ``quarantine``,
///   ``quarantineWriter``, ``feedback``.
/// - Deliveries: ``deliveries``, ``targets``, ``deliverySubmitter``, ``failedMessages``.
/// - The master: ``work``, ``preparation``, ``outcomes`` on its writer thread, ``messageReader()`` on its reader's.
/// - Whether verdicts about tokens are believed: ``trust``, ``verdicts``.
/// - Whether its files are still those that were opened: ``change()``, ``claim()``, ``rescueLog()``.
package final class Store: Sendable {
    /// Without symbolic links: whoever opens the store by another name arrives at the same one.
    package let path: String
    private let files: StoreFiles
    /// Where the key was looked for before links were followed.
    private let givenFolder: String
    private let writer: Connection
    private let reader: Connection
    private let busyTimeout: Double
    private let keptKey: KeptKey
    private static let readersAtOnce = 4

    /// Opens the store, creating file (mode 0600) and folder where they are absent, and migrates it.
    /// - Parameters:
    ///   - busyTimeoutMilliseconds: how long to wait for another process that writes.
    ///   - maximumPages: a bound on the file's size in pages of 4 KiB; nil is SQLite's own.
    ///   - migrating: called for each part that is taken over from an earlier version: 200 a million messages.
    package static func open(
        path: String, busyTimeoutMilliseconds: Int = 10_000, maximumPages: Int? = nil,
        migrating: (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) -> Store {
        let real: String
        do throws(PrivateFile.Failure) {
            let target = try PrivateFile.target(of: path)
            if !PrivateFile.exists(target) {
                try PrivateFile.createFolder(of: target)
                // SQLite gives its log and index files the mode of the store's.
                _ = try PrivateFile.create(target, containing: [])
            }
            // Once more: its folder may have been made just now.
            real = try PrivateFile.target(of: target)
        } catch {
            guard case .system(let why) = error else { throw StoreError(.unwritable, path: path) }
            throw StoreError(.cannotOpen(why: why), path: path)
        }
        try refuseManyNames(real)
        return try Store(
            path: real, given: path, busyTimeout: Double(busyTimeoutMilliseconds) / 1_000, maximumPages: maximumPages,
            migrating)
    }

    /// The name by which a store that is at `path` is locked and its master reached; `path` where there is none.
    package static func realPath(of path: String) -> String { (try? PrivateFile.target(of: path)) ?? path }

    /// sqlite.org, "How To Corrupt An SQLite Database File", section 2.5: a log belongs to a name, not to a file.
    private static func refuseManyNames(_ path: String) throws(StoreError) {
        var names = 1
        // Whoever makes the store just now gives it two for a moment.
        for turn in 0..<50 {
            guard case .file(_, let count) = FileIdentity.look(at: path), count > 1 else { return }
            names = count
            if turn < 49 { usleep(20_000) }
        }
        throw StoreError(.manyNames(names), path: path)
    }

    private init(
        path: String, given: String, busyTimeout: Double, maximumPages: Int?, _ migrating: (MigrationProgress) -> Void
    ) throws(StoreError) {
        self.path = path
        givenFolder = PrivateFile.folder(of: given)
        self.busyTimeout = busyTimeout
        keptKey = KeptKey()
        // A file that is not ours, or not yet understood, must not be changed: look before writing.
        let claim = try Self.claimOlder(path, busyTimeout: busyTimeout)
        defer { withExtendedLifetime(claim) {} }
        writer = try Connection.writing(path: path, busyTimeout: busyTimeout, maximumPages: maximumPages)
        try writer.migrate()
        try PartMigration(connection: writer).run(migrating)
        reader = try Connection.reading(path: path, busyTimeout: busyTimeout, atOnce: Self.readersAtOnce)
        _ = try reader.read("open") { try Self.keyMark($0) }
        guard let files = StoreFiles(of: path) else {
            throw StoreError(.cannotOpen(why: "its files were removed meanwhile"), path: path)
        }
        self.files = files
    }

    /// A store that an earlier version made is changed for ever by being opened, and its master would not know it any
    /// more: while one serves it, it is left as it is.
    /// - Returns: to be kept until it is migrated; nil: it is of this version, or new.
    private static func claimOlder(_ path: String, busyTimeout: Double) throws(StoreError) -> StoreClaim? {
        let end = ContinuousClock.now + .seconds(busyTimeout)
        while try Connection.reading(path: path, busyTimeout: busyTimeout, atOnce: 1).inspect() {
            guard let identity = FileIdentity.look(at: path).identity else { return nil }
            if let claim = try StoreClaim.take(WatchedFile(.store, path: path, identity: identity)) { return claim }
            // Somebody may be migrating it just now.
            guard ContinuousClock.now < end else {
                let why = "a master of an earlier version serves it: stop that one, and start this version's"
                throw StoreError(.cannotOpen(why: why), path: path)
            }
            usleep(50_000)
        }
        return nil
    }

    /// The instance's key: made when the store has never had one, otherwise the one the store was made with.
    /// - Parameter keyPath: nil is `instance.key` beside the store.
    package func instanceKey(at keyPath: String? = nil) throws(StoreError) -> InstanceKey {
        let keyPath = keyPath ?? defaultKeyPath
        let version = FileVersion(of: keyPath)
        if let key = keptKey.key(at: keyPath, version) { return key }
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
        keptKey.keep(key, at: keyPath, version)
        return key
    }

    /// Beside the store, or beside the link by which it was named where the key lies there.
    private var defaultKeyPath: String {
        let places = [PrivateFile.folder(of: path), givenFolder].map { $0 + "/instance.key" }
        return places.first { PrivateFile.exists($0) } ?? places[0]
    }

    /// - Returns: the mark that counts: another process may have been faster.
    private func note(_ mark: [UInt8]) throws(StoreError) -> [UInt8]? {
        try writer.write("note the key's mark") { db in
            try db.execute(
                sql: "INSERT INTO instance (only, key_mark) VALUES (1, ?1) ON CONFLICT DO NOTHING",
                arguments: [mark])
            return try Self.keyMark(db)
        }
    }

    private static func keyMark(_ db: any Session) throws -> [UInt8]? {
        try db.value([UInt8].self, sql: "SELECT key_mark FROM instance")
    }

    package var catalogue: Catalogue { Catalogue(connection: reader) }
    package func catalogueWriter(key: InstanceKey) -> CatalogueWriter {
        CatalogueWriter(connection: writer, key: key)
    }
    package func credentials(key: InstanceKey) -> CredentialReader { CredentialReader(connection: reader, key: key) }
    package var subscribers: SubscriberReader { SubscriberReader(connection: reader) }
    package var subscriberFinder: SubscriberFinder { SubscriberFinder(connection: reader) }
    package var subscriberRemover: SubscriberRemover { SubscriberRemover(connection: writer) }
    package var subscriberImporter: SubscriberImporter { SubscriberImporter(connection: writer) }
    package var deliveries: DeliveryReader { DeliveryReader(connection: reader) }
    package var targets: TargetReader { TargetReader(connection: reader) }
    package var deliverySubmitter: DeliverySubmitter { DeliverySubmitter(connection: writer) }
    package var work: WorkReader { WorkReader(connection: reader) }
    package var preparation: PreparationWriter { PreparationWriter(connection: writer) }
    package var outcomes: OutcomeWriter { OutcomeWriter(connection: writer) }
    package var failedMessages: FailedMessages { FailedMessages(connection: writer) }
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

    /// The same store for others of this process than its write service: their writes become its units.
    package func writing(through relay: WriteRelay) -> Store { Store(self, through: relay) }

    private init(_ store: Store, through relay: WriteRelay) {
        path = store.path
        files = store.files
        givenFolder = store.givenFolder
        writer = Connection(store.writer, through: relay)
        reader = store.reader
        busyTimeout = store.busyTimeout
        keptKey = store.keptKey
    }

    // MARK: The files themselves

    /// What became of the store's files since they were opened here; nil: they are what they were.
    package func change() -> FileChange? { files.change() }

    /// Names by which the store can be opened; more than one is asking for damage.
    package var nameCount: Int {
        if case .file(_, let names) = FileIdentity.look(at: path) { names } else { 1 }
    }

    /// The claim that one process at a time has; nil where another one has it.
    package func claim() throws(StoreError) -> StoreClaim? { try StoreClaim.take(files.store) }

    /// Writes what was committed from a log that was removed into the store, unless somebody has begun another log
    /// since. Nothing is to be written through this store afterwards.
    /// - Returns: whether the store has everything now.
    package func rescueLog() throws(StoreError) -> Bool {
        guard files.store.change() == nil, files.index.change() == nil, PrivateFile.isEmptyOrAbsent(files.log.path)
        else { return false }
        return try writer.checkpoint()
    }

    /// Leaves the connections open until the process ends: to close the last one would remove a log of this name,
    /// whosesoever it is by now.
    package func abandon() { unsafe _ = Unmanaged.passRetained(self) }

    /// For the master's reader thread: a connection of its own, one for each call of this function.
    package func messageReader() throws(StoreError) -> MessageReader {
        MessageReader(connection: try Connection.reading(path: path, busyTimeout: busyTimeout, atOnce: 1))
    }
}
