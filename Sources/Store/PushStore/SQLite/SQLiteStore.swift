internal import GRDB
internal import Glibc
internal import PushModel

/// A store in one SQLite file.
struct SQLiteStore: StoreEngine {
    let place: String
    private let given: String
    let writer: Connection
    let reader: Connection
    private let connection: SQLiteConnection
    private let files: StoreFiles
    private let busyTimeout: Double

    var instancePath: String { place }
    var keyPath: String { Self.keyPath(of: place, given: given) }

    /// Returns the path of the instance key: next to the store, or next to the link that the caller specified
    /// if the key is there.
    static func keyPath(of path: String, given: String) -> String {
        let places = [path, given].map { PrivateFile.folder(of: $0) + "/instance.key" }
        return places.first { PrivateFile.exists($0) } ?? places[0]
    }

    /// Creates the file (mode 0600) and its folder if they do not exist, and migrates the store.
    init(
        path: String, for purpose: StorePurpose, busyTimeoutMilliseconds: Int, maximumPages: Int?
    ) throws(StoreError) {
        let real: String
        var isAbsent = false
        do throws(PrivateFile.Failure) {
            let target = try PrivateFile.target(of: path)
            isAbsent = !PrivateFile.exists(target)
            if isAbsent, purpose != .copySource {
                try PrivateFile.createFolder(of: target)
                // SQLite gives its log and index files the mode of the store's file.
                _ = try PrivateFile.create(target, containing: [])
            }
            // The path is resolved again, because the folder may have just been created.
            real = try PrivateFile.target(of: target)
        } catch {
            guard case .system(let text) = error else { throw StoreError(.unwritable, path: path) }
            let why = FileOwnerHint.of(path) ?? "\(text); \(StoreError.pathAdvice)"
            throw StoreError(.cannotOpen(why: why), path: path)
        }
        if isAbsent, purpose == .copySource { throw StoreError(.noStore, path: real) }
        try Self.refuseManyNames(real)
        try self.init(
            path: real, given: path, for: purpose, busyTimeout: Double(busyTimeoutMilliseconds) / 1_000,
            maximumPages: maximumPages)
    }

    /// See sqlite.org, "How To Corrupt An SQLite Database File", section 2.5: a log belongs to a name, not to
    /// a file.
    private static func refuseManyNames(_ path: String) throws(StoreError) {
        var names = 1
        // While a process creates the store, the file has two names for a moment.
        for turn in 0..<50 {
            guard case .file(_, let count) = FileIdentity.look(at: path), count > 1 else { return }
            names = count
            if turn < 49 { usleep(20_000) }
        }
        throw StoreError(.manyNames(names), path: path)
    }

    private init(
        path: String, given: String, for purpose: StorePurpose, busyTimeout: Double, maximumPages: Int?
    ) throws(StoreError) {
        place = path
        self.given = given
        self.busyTimeout = busyTimeout
        // A file that is not a store, or has not been identified yet, must not be changed, so the file is
        // inspected before any write.
        let content = try Self.content(of: path, busyTimeout)
        if let refusal = Self.refusal(of: content, for: purpose) { throw StoreError(refusal, path: path) }
        let claim = try purpose == .use ? Self.claimToMigrate(path, busyTimeout) : nil
        connection = try SQLiteConnection.writing(
            path: path, busyTimeout: busyTimeout, maximumPages: maximumPages)
        writer = Connection(connection, path: path)
        switch purpose {
        case .use: try connection.migrate()
        case .copySource: break
        case .copyDestination:
            if content == .nothing { try writer.write("begin a copy") { try CopyMark.set($0) } }
            guard content != .store else { break }
            try connection.migrate(isCopy: true)
        }
        withExtendedLifetime(claim) {}
        reader = Connection(
            try SQLiteConnection.reading(path: path, busyTimeout: busyTimeout, atOnce: Store.readersAtOnce),
            path: path)
        _ = try reader.read("open") { try Store.keyMark($0) }
        guard let files = StoreFiles(of: path) else {
            let why =
                "its files were removed in the meantime; put them back, or try again to create a new store"
            throw StoreError(.cannotOpen(why: why), path: path)
        }
        self.files = files
    }

    private static func content(
        of path: String, _ busyTimeout: Double
    ) throws(StoreError) -> SQLiteConnection.Content {
        try SQLiteConnection.reading(path: path, busyTimeout: busyTimeout, atOnce: 1).inspect()
    }

    /// Claims a store of an earlier version for migration. Migration is permanent, and a master of the
    /// earlier version would no longer recognise the store, so the store is left unchanged while such a
    /// master serves it.
    /// - Returns: `nil` if nothing needs to be changed.
    private static func claimToMigrate(
        _ path: String, _ busyTimeout: Double
    ) throws(StoreError) -> FileClaim? {
        let end = ContinuousClock.now + .seconds(busyTimeout)
        while try content(of: path, busyTimeout) == .olderStore,
            let identity = FileIdentity.look(at: path).identity
        {
            if let claim = try FileClaim.take(WatchedFile(.store, path: path, identity: identity)) {
                return claim
            }
            guard ContinuousClock.now < end else {
                let why =
                    """
                    a master of an earlier version serves it; stop that master, and start the master of \
                    this version
                    """
                throw StoreError(.cannotOpen(why: why), path: path)
            }
            usleep(50_000)
        }
        return nil
    }

    /// Returns the reason to refuse the file; `nil` if it is acceptable.
    private static func refusal(
        of content: SQLiteConnection.Content, for purpose: StorePurpose
    ) -> StoreError.Cause? {
        switch (purpose, content) {
        case (.use, .unfinishedCopy), (.copySource, .unfinishedCopy): .unfinishedCopy
        case (.copySource, .nothing): .noStore
        case (.copySource, .olderStore): .olderVersion
        case (.copyDestination, .olderStore): .notEmpty
        default: nil
        }
    }

    func lone() throws(StoreError) -> Connection {
        Connection(
            try SQLiteConnection.reading(path: place, busyTimeout: busyTimeout, atOnce: 1), path: place)
    }

    func change() -> FileChange? { files.change() }
    func stayConnected() {}

    var batching: WriteQueue.BatchingPolicy { .inAFile }

    var nameCount: Int {
        if case .file(_, let names) = FileIdentity.look(at: place) { names } else { 1 }
    }

    func claim() throws(StoreError) -> (any StoreClaim)? { try FileClaim.take(files.store) }

    func hostRegister() throws(StoreError) -> (any HostRegister)? { nil }
    func announceChange() {}

    func rescueLog() throws(StoreError) -> Bool {
        guard files.store.change() == nil, files.index.change() == nil,
            PrivateFile.isEmptyOrAbsent(files.log.path)
        else { return false }
        return try connection.checkpoint()
    }

    func copy(
        to file: String, at now: WallMoment, _ proceed: @escaping (BackupProgress) -> Bool
    ) throws(StoreError) -> Bool {
        do {
            return try SQLiteBackup(source: place, destination: file, busyTimeout: busyTimeout).run(
                at: now, proceed)
        } catch {
            throw StoreError(error, during: "back it up", path: place)
        }
    }

    func durability() throws(StoreError) -> StoreInspection.Durability {
        try writer.read("read its settings") { db in
            StoreInspection.Durability(
                journalMode: try db.value(String.self, sql: "PRAGMA journal_mode") ?? "",
                synchronous: try db.value(Int.self, sql: "PRAGMA synchronous") ?? 0)
        }
    }

    func plan(of sql: String, _ db: any Session) throws -> [String] {
        try db.rows(sql: "EXPLAIN QUERY PLAN \(sql)").map { try $0["detail"] }
    }
}
