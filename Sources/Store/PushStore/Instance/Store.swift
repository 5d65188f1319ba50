internal import PushSystem

/// The durable queue and the registry, in one SQLite file or a PostgreSQL database.
///
/// **Promises.** What a writing call did is on disk when it returns. No transaction, read or write, exceeds 5
/// 000 rows. All calls are synchronous; call them from threads that may wait.
/// **Failures.** ``StoreError``; a refused or failed call changed nothing beyond what its documentation
/// names.
/// **Neighbours.** The store itself only opens and hands out doors, each with one capability: what reads
/// cannot write.
///
/// - The registry: ``catalogue``, ``catalogueWriter(key:)``, ``credentials(key:)``, ``instanceKey(at:)``.
/// - Subscribers: ``subscribers``, ``subscriberFinder``, ``subscriberImporter``, ``subscriberRemover``,
///   ``personTraces``, ``quarantine``, ``quarantineWriter``, ``feedback``.
/// - Devices: ``registrations``, ``hits``, ``hitReader``, ``statistics``.
/// - Deliveries: ``deliveries``, ``queues``, ``targets``, ``targetWalk``, ``deliverySubmitter``,
///   ``failedMessages``, ``pause``, ``stop``, ``repair``.
/// - Single messages: ``messageIntake``, ``messages``, ``messageStatus``.
/// - The master: ``work``, ``preparation``, ``outcomes`` on its writer thread, ``messageReader()`` on its
///   reader's.
/// - What is kept for how long: ``retention``, ``retentionWriter``.
/// - Contents by name: ``templates``, ``templateWriter``.
/// - Receivers of events: ``webhooks``, ``webhookWriter(key:)``, ``webhookEvents``, ``webhookProgress``.
/// - Whether verdicts about tokens are believed: ``trust``, ``verdicts``.
/// - Hosts that share it: ``hosts``, ``hostRegister()``.
/// - Whether it is still what was opened: ``change()``, ``claim()``, ``rescueLog()``.
package final class Store: Sendable {
    /// Where a store lies.
    package enum Place: Equatable, Sendable {
        case sqlite(path: String)
        /// With the folder of what belongs to this host alone: key, locks, control socket.
        case postgreSQL(PostgreSQLServer, instanceFolder: String)

        /// What names of the instance's own files begin with, whether or not there is a store yet. Without
        /// symbolic links: whoever opens the store by another name arrives at the same one.
        package var instancePath: String {
            let path =
                switch self {
                case .sqlite(let path): path
                case .postgreSQL(_, let folder): folder + "/pushmta"
                }
            return (try? PrivateFile.target(of: path)) ?? path
        }

        /// Where the instance's key is, or else where it is to be made.
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
    /// What names of the instance's own files begin with: locks, the control socket.
    package var instancePath: String { engine.instancePath }
    private let engine: any StoreEngine
    private let writer: Connection
    private let reader: Connection
    private let keptKey: KeptKey
    private let frequency: FrequencyCapMemory
    let relay: WriteRelay?
    /// For changes that have a connection of their own.
    package let note: AuditNote?
    /// More than are ever busy with long reads: three of the API's kinds of work, metrics and the dry run
    /// leave some for sends, registrations and reports.
    static let readersAtOnce = 8

    /// Opens the store, making what is absent of it, and migrates it.
    /// - Parameters:
    ///   - busyTimeoutMilliseconds: how long to wait for another process that writes.
    package static func open(
        _ place: Place, busyTimeoutMilliseconds: Int = 10_000
    ) throws(StoreError) -> Store {
        try opened(try engine(place, for: .use, busyTimeoutMilliseconds: busyTimeoutMilliseconds))
    }

    /// Opens a store in a file of SQLite's.
    /// - Parameters:
    ///   - maximumPages: a bound on the file's size in pages of 4 KiB; nil is SQLite's own.
    package static func open(
        path: String, busyTimeoutMilliseconds: Int = 10_000, maximumPages: Int? = nil
    ) throws(StoreError) -> Store {
        try opened(
            try engine(
                .sqlite(path: path), for: .use, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
                maximumPages: maximumPages))
    }

    /// What is a backup that was put in its place is a store from now on.
    private static func opened(_ engine: any StoreEngine) throws(StoreError) -> Store {
        try BackupMark.holdWhatIsLive(engine, at: Clocks.moment())
        return Store(engine)
    }

    /// Opens a store to look at it: it must be there, of this version and whole, and stays as it is.
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
        (relay, note) = (nil, nil)
    }

    /// The instance's key: made when the store has never had one, otherwise the one the store was made with.
    /// Once this process has read it, it is known whatever becomes of the file, which ``keyTrouble()``
    /// reports.
    /// - Parameter keyPath: nil is `instance.key` beside the store.
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

    /// What is wrong with the key's file since this process read the key; nil: nothing. This process
    /// continues, but the next one cannot begin.
    package func keyTrouble() -> StoreError? {
        keptKey.trouble(of: path) { [path] keyPath throws(StoreError) in
            try InstanceKey.load(from: keyPath, store: path)
        }
    }

    /// - Returns: the mark that counts: another process may have been faster.
    private func note(_ mark: [UInt8]) throws(StoreError) -> [UInt8]? {
        // The key is made for whatever is done first, even if that is refused afterwards.
        try writer.unnoted.write("note the key's mark") { db in
            try db.execute(
                sql: #"INSERT INTO instance ("only", key_mark) VALUES (1, ?1) ON CONFLICT DO NOTHING"#,
                arguments: [mark])
            return try Self.keyMark(db)
        }
    }

    static func keyMark(_ db: any Session) throws -> [UInt8]? {
        try db.value([UInt8].self, sql: "SELECT key_mark FROM instance")
    }

    package var catalogue: Catalogue { Catalogue(connection: reader) }
    package func catalogueWriter(key: InstanceKey) -> CatalogueWriter {
        CatalogueWriter(connection: writer, key: key)
    }
    package func credentials(key: InstanceKey) -> CredentialReader {
        CredentialReader(connection: reader, key: key)
    }
    package var subscribers: SubscriberReader { SubscriberReader(connection: reader) }
    package var subscriberFinder: SubscriberFinder { SubscriberFinder(connection: reader) }
    package var subscriberRemover: SubscriberRemover { SubscriberRemover(connection: writer) }
    package var personTraces: PersonTraces { PersonTraces(connection: writer) }
    package var registrations: RegistrationWriter { RegistrationWriter(connection: writer) }
    package var hits: HitWriter { HitWriter(connection: writer) }
    package var hitReader: HitReader { HitReader(connection: reader) }
    package var subscriberImporter: SubscriberImporter { SubscriberImporter(connection: writer) }
    /// Rows for it, none as yet.
    package func subscriberRows(_ limits: SubscriberRows.Limits = .ofImport) -> SubscriberRows {
        SubscriberRows(in: PrivateFile.folder(of: instancePath), limits)
    }
    package var statistics: StatisticsReader { StatisticsReader(connection: reader) }
    package var deliveries: DeliveryReader { DeliveryReader(connection: reader) }
    package var queues: QueueReader { QueueReader(connection: reader) }
    package var targets: TargetReader { TargetReader(connection: reader) }
    package var targetWalk: TargetWalk { TargetWalk(connection: reader) }
    package var recipientLists: RecipientListWriter { RecipientListWriter(connection: writer) }
    package var deliverySubmitter: DeliverySubmitter { DeliverySubmitter(connection: writer) }
    package var work: WorkReader { WorkReader(connection: reader) }
    package var preparation: PreparationWriter {
        PreparationWriter(connection: writer, frequency: frequency)
    }
    package var outcomes: OutcomeWriter { OutcomeWriter(connection: writer) }
    package var messages: MessageWriter { MessageWriter(connection: writer) }
    package var messageCancellation: MessageCancellation { MessageCancellation(connection: writer) }
    package var messageStatus: MessageStatusReader { MessageStatusReader(connection: reader) }
    package var failedMessages: FailedMessages { FailedMessages(connection: writer) }
    package var tokens: TokenWriter { TokenWriter(connection: writer) }
    package var feedback: FeedbackWriter { FeedbackWriter(connection: writer) }
    package var verdicts: VerdictWriter { VerdictWriter(connection: writer) }
    package var trust: TrustReader { TrustReader(connection: reader) }
    package var quarantine: QuarantineReader { QuarantineReader(connection: reader) }
    package var quarantineWriter: QuarantineWriter { QuarantineWriter(connection: writer) }
    package var retention: RetentionReader { RetentionReader(connection: reader) }
    package var retentionWriter: RetentionWriter { RetentionWriter(connection: writer) }
    package var accessTokens: AccessTokenReader { AccessTokenReader(connection: reader) }
    package var accessTokenWriter: AccessTokenWriter { AccessTokenWriter(connection: writer) }
    package var audit: AuditReader { AuditReader(connection: reader) }
    package var auditWriter: AuditWriter { AuditWriter(connection: writer) }
    package var jobs: JobReader { JobReader(connection: reader) }
    package var jobWriter: JobWriter { JobWriter(connection: writer) }
    package var webhooks: WebhookReader { WebhookReader(connection: reader) }
    package func webhookWriter(key: InstanceKey) -> WebhookWriter {
        WebhookWriter(connection: writer, key: key)
    }
    package var hosts: HostReader { HostReader(connection: reader) }
    package var templates: TemplateReader { TemplateReader(connection: reader) }
    package var templateWriter: TemplateWriter { TemplateWriter(connection: writer) }
    package var webhookEvents: WebhookEventReader { WebhookEventReader(connection: reader) }
    package var webhookProgress: WebhookProgressWriter { WebhookProgressWriter(connection: writer) }
    package var inspection: StoreInspection { StoreInspection(engine: engine) }

    /// What lies in this store, for groups of units. - Parameter name: of the process that writes them.
    package func writeEngine(name: String) -> some WriteEngine {
        StoreWriteEngine(connection: writer, name: name)
    }
    package var held: HeldParts { HeldParts(reader: reader, writer: writer) }
    package var pause: DeliveryPause { DeliveryPause(reader: reader, writer: writer) }
    package var stop: DeliveryStop { DeliveryStop(reader: reader, writer: writer) }
    package var repair: DeliveryRepair { DeliveryRepair(reader: reader, writer: writer) }

    /// The same store for others of this process than its write service: their writes become its units.
    package func writing(through relay: WriteRelay) -> Store {
        Store(self, Connection(writer, through: relay), relay)
    }

    /// The same store for one change: the first of its writes that changes anything adds the line to the audit trail.
    package func noting(_ note: AuditNote) -> Store {
        Store(self, Connection(writer, noting: note), relay, note)
    }

    private init(_ store: Store, _ writer: Connection, _ relay: WriteRelay?, _ note: AuditNote? = nil) {
        engine = store.engine
        self.writer = writer
        reader = store.reader
        keptKey = store.keptKey
        frequency = store.frequency
        self.relay = relay
        self.note = note
    }

    /// A consistent copy of it, beside whoever serves it.
    /// - Parameters:
    ///   - file: where it is to appear.
    ///   - withKey: whether the instance's key is to lie beside it.
    ///   - isForced: whether an earlier file is replaced.
    package func backup(to file: String, withKey: Bool, isForced: Bool) -> StoreBackup {
        StoreBackup(engine, to: file, withKey: withKey, isForced: isForced)
    }

    func reading<Value>(_ what: String, _ body: (any Session) throws -> Value) throws(StoreError) -> Value {
        try reader.read(what, body)
    }
    var engineIsFile: Bool { engine is SQLiteStore }

    // MARK: The store itself

    /// How outcomes wait for company before they are written.
    var gathering: WriteQueue.Gathering { engine.gathering }

    /// What became of the store since it was opened here: of its files, or of the claim on it; nil: it is
    /// what it was.
    package func change() -> FileChange? { engine.change() }

    /// For whoever claims the store, now and then: a claim is lost with its connection. It may wait for a
    /// server.
    package func stayConnected() { engine.stayConnected() }

    /// Names by which the store can be opened; more than one is asking for damage.
    package var nameCount: Int { engine.nameCount }

    /// The claim that one process at a time has; nil where another one has it.
    package func claim() throws(StoreError) -> (any StoreClaim)? { try engine.claim() }

    /// This host among those that share the store; nil where nobody can.
    package func hostRegister() throws(StoreError) -> (any HostRegister)? { try engine.hostRegister() }

    /// Tells the hosts that share the store, for who is none of them, that something was submitted or is wanted.
    /// They find it by themselves a little later, so a failure is none.
    package func announceChange() { engine.announceChange() }

    /// Writes what was committed from a log that was removed into the store, unless somebody has begun
    /// another log since. Nothing is to be written through this store afterwards.
    /// - Returns: whether the store has everything now.
    package func rescueLog() throws(StoreError) -> Bool { try engine.rescueLog() }

    /// Leaves the connections open until the process ends: to close SQLite's last one would remove a log of
    /// this name, whosesoever it is by now.
    package func abandon() { unsafe _ = Unmanaged.passRetained(self) }

    /// For the master's reader thread: a connection of its own, one for each call of this function.
    package func messageReader() throws(StoreError) -> MessageReader {
        MessageReader(connection: try engine.lone())
    }
}
