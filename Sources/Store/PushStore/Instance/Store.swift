package import PushModel
internal import PushSystem

/// The durable queue and the registry, in one SQLite file or a PostgreSQL database.
///
/// **Promises.** The effects of a writing call are on disk when the call returns. No transaction, read or
/// write, exceeds 5 000 rows. All calls are synchronous; call them from threads that may wait.
/// **Failures.** ``StoreError``; a refused or failed call changes nothing beyond what its documentation
/// states.
/// **Neighbours.** The store itself only opens the engine and provides accessors. Each accessor has one
/// capability: an accessor that reads cannot write.
///
/// - The registry: ``catalogue``, ``catalogueWriter(key:)``, ``credentials(key:)``, ``instanceKey(at:)``.
/// - Subscribers: ``subscribers``, ``subscriberFinder``, ``subscriberImporter``, ``subscriberRemover``,
///   ``personTraces``, ``quarantine``, ``quarantineWriter``, ``feedback``.
/// - Devices: ``registrations``, ``hits``, ``activity``, ``hitReader``, ``statistics``.
/// - Deliveries: ``deliveries``, ``queues``, ``targets``, ``targetWalk``, ``deliverySubmitter``,
///   ``failedMessages``, ``pause``, ``stop``, ``repair``.
/// - Single messages: ``messageIntake``, ``messages``, ``messageStatus``.
/// - The master: ``work``, ``preparation``, ``outcomes`` on its writer thread, ``messageReader()`` on its
///   reader thread.
/// - Retention periods: ``retention``, ``retentionWriter``.
/// - People who use the console: ``people``, ``personWriter``, ``sessions``, ``sessionWriter``.
/// - Contents by name: ``templates``, ``templateWriter``. Documents in preparation: ``drafts``,
///   ``draftWriter``.
/// - Receivers of events: ``webhooks``, ``webhookWriter(key:)``, ``webhookEvents``, ``webhookProgress``.
/// - Whether verdicts about tokens are believed: ``trust``, ``verdicts``.
/// - Hosts that share the store: ``hosts``, ``hostRegister()``.
/// - Whether the store is still the one that was opened: ``change()``, ``claim()``, ``rescueLog()``.
package final class Store: Sendable {
    /// The location of a store.
    package enum Place: Equatable, Sendable {
        case sqlite(path: String)
        /// A database on a server, and the folder for the files that belong only to this host: key, locks,
        /// control socket.
        case postgreSQL(PostgreSQLServer, instanceFolder: String)

        /// The prefix of the names of the instance's own files, whether or not there is a store yet. It
        /// contains no symbolic links, so a process that opens the store by another name obtains the same
        /// prefix.
        package var instancePath: String {
            let path =
                switch self {
                case .sqlite(let path): path
                case .postgreSQL(_, let folder): folder + "/pushmta"
                }
            return (try? PrivateFile.target(of: path)) ?? path
        }

        /// The path of the instance's key, or the path at which it will be created.
        var keyPath: String {
            switch self {
            case .sqlite(let path): SQLiteStore.keyPath(of: instancePath, given: path)
            case .postgreSQL: PrivateFile.folder(of: instancePath) + "/instance.key"
            }
        }

        /// The store's name in errors, whether or not there is a store yet.
        package var name: String {
            if case .postgreSQL(let server, _) = self { server.place } else { instancePath }
        }
    }

    /// The store's name in errors: the file, without symbolic links, or the server and its database.
    package var path: String { engine.place }
    /// The prefix of the names of the instance's own files: locks, the control socket.
    package var instancePath: String { engine.instancePath }
    private let engine: any StoreEngine
    private let writer: Connection
    private let reader: Connection
    private let keptKey: KeptKey
    private let frequency: FrequencyCapMemory
    private let groups: SentGroupMemory
    let relay: WriteRelay?
    /// The services whose objects the accessors of the registry, of deliveries and of messages find.
    package let bounds: ServiceBounds
    /// The line of the audit trail, for changes that use their own connection.
    package let note: AuditNote?
    /// The maximum number of concurrent readers. Long reads never use all readers: even if three kinds of API
    /// work, the metrics and the dry run all read for a long time, readers remain for sends, registrations
    /// and reports.
    static let readersAtOnce = 8

    /// Opens the store. Creates everything that is absent, and migrates a store of an earlier version.
    /// - Parameters:
    ///   - busyTimeoutMilliseconds: How long to wait for another process that is writing.
    package static func open(
        _ place: Place, busyTimeoutMilliseconds: Int = 10_000
    ) throws(StoreError) -> Store {
        try opened(try engine(place, for: .use, busyTimeoutMilliseconds: busyTimeoutMilliseconds))
    }

    /// Opens a store in an SQLite file.
    /// - Parameters:
    ///   - maximumPages: The maximum size of the file, in pages of 4 KiB; `nil` means SQLite's own limit.
    package static func open(
        path: String, busyTimeoutMilliseconds: Int = 10_000, maximumPages: Int? = nil
    ) throws(StoreError) -> Store {
        try opened(
            try engine(
                .sqlite(path: path), for: .use, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
                maximumPages: maximumPages))
    }

    /// Returns the opened store. If it is a backup that was put in the place of a store, this call turns the
    /// backup into a store.
    private static func opened(_ engine: any StoreEngine) throws(StoreError) -> Store {
        try BackupMark.holdWhatIsLive(engine, at: Clocks.moment())
        return Store(engine)
    }

    /// Opens a store for inspection: it must exist, have this version and be intact. The store stays
    /// unchanged.
    package static func look(at place: Place) throws(StoreError) -> Store {
        Store(try engine(place, for: .copySource, busyTimeoutMilliseconds: 100))
    }

    static func engine(
        _ place: Place, for purpose: StorePurpose, busyTimeoutMilliseconds: Int, maximumPages: Int? = nil
    ) throws(StoreError) -> any StoreEngine {
        switch place {
        case .sqlite(let path):
            try SQLiteStore(
                path: path, for: purpose, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
                maximumPages: maximumPages)
        case .postgreSQL(let server, let folder):
            try PostgreSQLStore(
                server, instanceFolder: folder, for: purpose, busyTimeoutMilliseconds: busyTimeoutMilliseconds
            )
        }
    }

    private init(_ engine: any StoreEngine) {
        self.engine = engine
        writer = engine.writer
        reader = engine.reader
        keptKey = KeptKey()
        frequency = FrequencyCapMemory()
        groups = SentGroupMemory()
        (relay, note, bounds) = (nil, nil, .unbound)
    }

    /// Returns the instance's key. If the store has never had a key, this call creates one; otherwise, the
    /// key is the one with which the store was created. Once this process has read the key, it keeps the key
    /// in memory, whatever happens to the file; ``keyFailure()`` reports problems with the file.
    /// - Parameter keyPath: `nil` means `instance.key` next to the store.
    package func instanceKey(at keyPath: String? = nil) throws(StoreError) -> InstanceKey {
        let keyPath = keyPath ?? engine.keyPath
        if let key = keptKey.key(at: keyPath) { return key }
        let version = FileVersion(of: keyPath)
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

    /// Returns the problem that the key's file has had since this process read the key; `nil` if there is
    /// none. This process can continue despite the problem, but the next process cannot start.
    package func keyFailure() -> StoreError? {
        keptKey.failure(of: path) { [path] keyPath throws(StoreError) in
            try InstanceKey.load(from: keyPath, store: path)
        }
    }

    /// - Returns: The mark that the store now contains. It differs from `mark` if another process was faster.
    private func note(_ mark: [UInt8]) throws(StoreError) -> [UInt8]? {
        // The key is created for the first operation that needs it, and remains even if that operation is
        // refused. Therefore, this write adds no line to the audit trail.
        try writer.unnoted.write("record the key's mark") { db in
            try db.execute(
                sql: #"INSERT INTO instance ("only", key_mark) VALUES (1, ?1) ON CONFLICT DO NOTHING"#,
                arguments: [mark])
            return try Self.keyMark(db)
        }
    }

    static func keyMark(_ db: any Session) throws -> [UInt8]? {
        try db.value([UInt8].self, sql: "SELECT key_mark FROM instance")
    }

    package var catalogue: Catalogue { Catalogue(connection: reader, bounds: bounds) }
    package func catalogueWriter(key: InstanceKey) -> CatalogueWriter {
        CatalogueWriter(connection: writer, key: key, bounds: bounds)
    }
    package func credentials(key: InstanceKey) -> CredentialReader {
        CredentialReader(connection: reader, key: key)
    }
    package var subscribers: SubscriberReader { SubscriberReader(connection: reader) }
    package var subscriberFinder: SubscriberFinder { SubscriberFinder(connection: reader) }
    package var subscriberRemover: SubscriberRemover { SubscriberRemover(connection: writer) }
    package var personTraces: PersonData { PersonData(connection: writer) }
    package var registrations: RegistrationWriter { RegistrationWriter(connection: writer) }
    package var hits: HitWriter { HitWriter(connection: writer) }
    package var activity: ActivityWriter { ActivityWriter(connection: writer) }
    package var hitReader: HitReader { HitReader(connection: reader) }
    package var subscriberImporter: SubscriberImporter { SubscriberImporter(connection: writer) }
    /// Returns an object that collects the rows of an import. It contains no rows at first.
    package func subscriberRows(_ limits: SubscriberRows.Limits = .ofImport) -> SubscriberRows {
        SubscriberRows(in: PrivateFile.folder(of: instancePath), limits)
    }
    package var statistics: StatisticsReader { StatisticsReader(connection: reader) }
    package var deliveries: DeliveryReader { DeliveryReader(connection: reader, bounds: bounds) }
    package var queues: QueueReader { QueueReader(connection: reader) }
    package var targets: TargetReader { TargetReader(connection: reader, bounds: bounds) }
    package var targetWalk: TargetWalk { TargetWalk(connection: reader) }
    package var recipientLists: RecipientListWriter { RecipientListWriter(connection: writer) }
    package var recipientMatcher: RecipientMatcher { RecipientMatcher(connection: reader) }
    package var deliverySubmitter: DeliverySubmitter { DeliverySubmitter(connection: writer) }
    package var work: WorkReader { WorkReader(connection: reader) }
    package var preparation: PreparationWriter {
        PreparationWriter(connection: writer, frequency: frequency, groups: groups)
    }
    package var outcomes: OutcomeWriter { OutcomeWriter(connection: writer) }
    package var messages: MessageWriter { MessageWriter(connection: writer) }
    package var messageCancellation: MessageCancellation { MessageCancellation(connection: writer) }
    package var messageStatus: MessageStatusReader {
        MessageStatusReader(connection: reader, bounds: bounds)
    }
    package var failedMessages: FailedMessages { FailedMessages(connection: writer) }
    package var tokens: TokenWriter { TokenWriter(connection: writer) }
    package var feedback: FeedbackWriter { FeedbackWriter(connection: writer) }
    package var verdicts: VerdictWriter { VerdictWriter(connection: writer) }
    package var trust: TrustReader { TrustReader(connection: reader) }
    package var quarantine: QuarantineReader { QuarantineReader(connection: reader) }
    package var unknownKeys: UnknownKeyReader { UnknownKeyReader(connection: reader) }
    package var unknownKeyWriter: UnknownKeyWriter { UnknownKeyWriter(connection: writer) }
    package var optOutWriter: OptOutWriter { OptOutWriter(connection: writer) }
    package var quarantineWriter: QuarantineWriter { QuarantineWriter(connection: writer) }
    package var retention: RetentionReader { RetentionReader(connection: reader) }
    package var retentionWriter: RetentionWriter { RetentionWriter(connection: writer) }
    package var accessTokens: AccessTokenReader { AccessTokenReader(connection: reader) }
    package var accessTokenWriter: AccessTokenWriter { AccessTokenWriter(connection: writer) }
    package var people: PersonReader { PersonReader(connection: reader) }
    package var personWriter: PersonWriter { PersonWriter(connection: writer) }
    package var sessions: SessionReader { SessionReader(connection: reader) }
    package var sessionWriter: SessionWriter { SessionWriter(connection: writer) }
    package var audit: AuditReader { AuditReader(connection: reader) }
    package var auditWriter: AuditWriter { AuditWriter(connection: writer) }
    package var jobs: JobReader { JobReader(connection: reader, bounds: bounds) }
    package var jobWriter: JobWriter { JobWriter(connection: writer) }
    package var webhooks: WebhookReader { WebhookReader(connection: reader, bounds: bounds) }
    package func webhookWriter(key: InstanceKey) -> WebhookWriter {
        WebhookWriter(connection: writer, key: key)
    }
    package var hosts: HostReader { HostReader(connection: reader) }
    package var templates: TemplateReader { TemplateReader(connection: reader, bounds: bounds) }
    package var templateWriter: TemplateWriter { TemplateWriter(connection: writer) }
    package var drafts: DraftReader { DraftReader(connection: reader, bounds: bounds) }
    package var draftWriter: DraftWriter { DraftWriter(connection: writer) }
    package var webhookEvents: WebhookEventReader { WebhookEventReader(connection: reader) }
    package var webhookProgress: WebhookProgressWriter { WebhookProgressWriter(connection: writer) }
    package var inspection: StoreInspection { StoreInspection(engine: engine) }

    /// Returns the engine that writes groups of units to this store.
    /// - Parameter name: The name of the process that writes the groups.
    package func writeEngine(name: String) -> some WriteEngine {
        StoreWriteEngine(connection: writer, name: name)
    }
    package var held: HeldParts { HeldParts(reader: reader, writer: writer) }
    package var pause: DeliveryPause { DeliveryPause(reader: reader, writer: writer) }
    package var stop: DeliveryStop { DeliveryStop(reader: reader, writer: writer) }
    package var repair: DeliveryRepair { DeliveryRepair(reader: reader, writer: writer) }

    /// Returns this store in the form that all code in this process except the write service uses: the writes
    /// of this code become units of the write service.
    package func writing(through relay: WriteRelay) -> Store {
        Store(self, Connection(writer, through: relay), relay, bounds)
    }

    /// Returns the same store for one change. The first write through the returned store that changes
    /// anything adds the line to the audit trail.
    package func noting(_ note: AuditNote) -> Store {
        Store(self, Connection(writer, noting: note), relay, bounds, note)
    }

    /// Returns the same store for a caller that is bound to services. Its accessors of the registry, of
    /// deliveries, messages, templates, webhooks and jobs find only what belongs to these services, and names
    /// of other objects do not appear in its errors.
    package func bound(to bounds: ServiceBounds) -> Store {
        bounds == self.bounds ? self : Store(self, writer, relay, bounds, note)
    }

    /// Adds the line of ``noting(_:)`` for a use case that changes nothing in the store. Does nothing without
    /// such a line.
    package func addNote() throws(StoreError) {
        guard let line: AuditNote = note else { return }
        try writer.unnoted.write("write the audit trail") { try line.write(to: $0) }
        line.close()
    }

    private init(
        _ store: Store, _ writer: Connection, _ relay: WriteRelay?, _ bounds: ServiceBounds,
        _ note: AuditNote? = nil
    ) {
        engine = store.engine
        self.writer = writer
        reader = store.reader
        keptKey = store.keptKey
        frequency = store.frequency
        groups = store.groups
        self.relay = relay
        self.bounds = bounds
        self.note = note
    }

    /// Returns a backup, which makes a consistent copy of the store while other processes serve it.
    /// - Parameters:
    ///   - file: The path at which the copy will appear.
    ///   - withKey: Whether the instance's key is written next to the copy.
    ///   - isForced: Whether an existing file at that path is replaced.
    package func backup(to file: String, withKey: Bool, isForced: Bool) -> StoreBackup {
        StoreBackup(engine, to: file, withKey: withKey, isForced: isForced)
    }

    func reading<Value>(_ what: String, _ body: (any Session) throws -> Value) throws(StoreError) -> Value {
        try reader.read(what, body)
    }

    /// Whether the store is a file on this machine, not a database on a server.
    package var engineIsFile: Bool { engine is SQLiteStore }

    // MARK: The store itself

    /// How outcomes are gathered before they are written.
    var batching: WriteQueue.BatchingPolicy { engine.batching }

    /// Returns the change to the store's files, or to the claim on the store, since this process opened the
    /// store; `nil` if nothing has changed.
    package func change() -> FileChange? { engine.change() }

    /// If the connection that holds the claim is lost, makes another connection. Must be called from time to
    /// time by a process that claims the store, because a claim is lost with its connection. May wait for a
    /// server.
    package func stayConnected() { engine.stayConnected() }

    /// The number of names by which the store can be opened. More than one name can lead to damage.
    package var nameCount: Int { engine.nameCount }

    /// Claims the store. Only one process at a time can have the claim; the result is `nil` if another
    /// process has it.
    package func claim() throws(StoreError) -> (any StoreClaim)? { try engine.claim() }

    /// Returns this host's entry in the list of hosts that share the store; `nil` if the store cannot be
    /// shared.
    package func hostRegister() throws(StoreError) -> (any HostRegister)? { try engine.hostRegister() }

    /// Notifies the hosts that share the store, from a process that is not one of them, that something was
    /// submitted or ordered. A failure does not matter, because the hosts find the change a little later
    /// without the notification.
    package func announceChange() { engine.announceChange() }

    /// Writes committed data from a removed log into the store, unless another process has begun another log
    /// since. Nothing must be written through this store afterwards.
    /// - Returns: Whether the store now contains everything.
    package func rescueLog() throws(StoreError) -> Bool { try engine.rescueLog() }

    /// Leaves the connections open until the process ends. Closing SQLite's last connection would remove the
    /// file with the log's name, even if that file belongs to another process by then.
    package func abandon() { unsafe _ = Unmanaged.passRetained(self) }

    /// Returns a reader for the master's reader thread. Each call creates a separate connection.
    package func messageReader() throws(StoreError) -> MessageReader {
        MessageReader(connection: try engine.lone())
    }
}
