internal import Glibc
package import PushModel
internal import PushSystem

/// What came of a restore.
package struct RestoreResult: Codable, Equatable, Sendable {
    package var store: String
    /// When the backup was taken.
    package var takenAt: WallMoment
    /// Deliveries that had not ended then: they are held.
    package var held: Int
    /// Where the store of before is now; nil: there was none.
    package var replaced: String?
}

/// Puts a backup in the place of a store, of whatever engine.
///
/// **Promises.** The backup itself is only read. What is damaged is refused: a backup that differs from its
/// checksum (``BackupSeal``) or has none, and one in which SQLite finds a fault (``SQLiteCheck``). No master
/// serves the place meanwhile, and what was there is moved aside with its log, not written over. The
/// instance's key is put back where there is none, and has to be the backup's where there is one. Deliveries that had not ended are held (``BackupMark``).
package struct StoreRestore: Sendable {
    private let file: String
    private let place: Store.Place
    private let isForced: Bool

    /// - Parameter isForced: whether a store that is there is moved aside.
    package init(from file: String, to place: Store.Place, isForced: Bool) {
        self.file = file
        self.place = place
        self.isForced = isForced
    }

    /// What the backup says of itself.
    private struct Backup {
        var taken: WallMoment
        var keyMark: [UInt8]?
        var live: Int
    }

    private static let busyTimeoutMilliseconds = 10_000
    private static let advice = "restore another backup"

    /// - Parameter proceed: called after each step; false ends it there, and nothing was changed but, on a
    ///   server, that a copy was begun.
    /// - Returns: nil where it was ended so.
    package func run(_ proceed: @escaping (BackupProgress) -> Bool = { _ in true }) throws(StoreError)
        -> RestoreResult?
    {
        let source = try open()
        guard let backup = try look(source, proceed) else { return nil }
        let key = try keyBytes(for: backup)
        var result = RestoreResult(store: place.name, takenAt: backup.taken, held: backup.live)
        switch place {
        case .sqlite:
            let path = place.instancePath
            let claim = try mayReplace(path)
            defer { withExtendedLifetime(claim) {} }
            try makeFolder(of: path)
            let draft = try BackupDraft(beside: path, place: place.name)
            guard try copy(source, to: draft.file(StoreBackup.copyName), proceed) else { return nil }
            if let key { try write(key, to: place.keyPath) }
            result.replaced = claim == nil ? nil : try moveAside(path)
            try draft.place(StoreBackup.copyName, at: path)
        case .postgreSQL:
            try makeFolder(of: place.instancePath)
            let draft = try BackupDraft(beside: place.instancePath, place: place.name)
            guard try copy(source, to: draft.file(StoreBackup.copyName), proceed) else { return nil }
            // A copy takes the key along from beside what it copies.
            var bytes = key
            if bytes == nil { bytes = try InstanceKey.bytes(in: place.keyPath, store: place.name) }
            if let bytes { try write(bytes, to: draft.file("instance.key")) }
            let from = Store.Place.sqlite(path: draft.file(StoreBackup.copyName))
            // Brings the tables of an earlier version up to date, which the copy wants.
            _ = try Store.engine(
                from, for: .use, busyTimeoutMilliseconds: Self.busyTimeoutMilliseconds)
            let copied = try StoreCopy(from: from, to: place).run { copied in
                var progress = BackupProgress()
                progress.copy = copied
                return proceed(progress)
            }
            guard copied != nil else { return nil }
        }
        return result
    }

    private func refusal(_ why: String) -> StoreError {
        StoreError(.noBackup(path: file, why: why), path: place.name)
    }

    private func damage(_ what: String) -> StoreError { refusal("is damaged: \(what); \(Self.advice)") }

    private func open() throws(StoreError) -> BackupFile {
        do throws(PrivateFile.Failure) { return try BackupFile(file) } catch {
            switch error {
            case .missing: throw refusal("is not there")
            case .notAFile: throw refusal("is not a file; name what 'pushmta backup' made")
            default: throw StoreError(.file(path: file, why: error.words), path: place.name)
            }
        }
    }

    /// What the backup says of itself, before anything is copied. If it cannot say it, the checksum tells a
    /// damaged backup from a file that never was one.
    /// - Returns: nil where `proceed` ended it.
    private func look(
        _ source: BackupFile, _ proceed: (BackupProgress) -> Bool
    ) throws(StoreError) -> Backup? {
        do throws(StoreError) {
            let found = try look()
            guard source.seal != nil else { throw damage("the checksum at its end is missing") }
            return found
        } catch {
            guard source.seal != nil else {
                switch error.cause {
                case .notAStore: throw refusal("is no backup of a store")
                case .corrupt: throw damage("SQLite cannot read it")
                default: throw error
                }
            }
            switch try check(source, proceed) {
            case .ended: return nil
            case .differs: throw differs
            case .matches: throw error
            }
        }
    }

    private func look() throws(StoreError) -> Backup {
        let connection = try SQLiteConnection.reading(
            path: file, busyTimeout: Double(Self.busyTimeoutMilliseconds) / 1_000, atOnce: 1)
        do throws(StoreError) {
            switch try connection.inspect() {
            case .store, .olderStore: break
            case .nothing, .unfinishedCopy: throw refusal("is no backup of a store")
            }
        } catch {
            guard case .formerVersion = error.cause else { throw error }
            throw refusal(
                "was taken before version \(StoreSchema.migratingRelease); restore it with that version, and take a new one"
            )
        }
        let found = try Connection(connection, path: file).read("look at a backup", Self.backup)
        guard let found else { throw refusal("is a store and no backup of one; 'pushmta backup' makes them") }
        return found
    }

    /// nil: that is no backup.
    private static func backup(_ db: any Session) throws -> Backup? {
        guard let taken = try db.value(Int64.self, sql: "SELECT taken_ms FROM backup") else { return nil }
        return Backup(
            taken: WallMoment(millisecondsSince1970: taken), keyMark: try Store.keyMark(db),
            live: try db.value(Int.self, sql: "SELECT count(*) FROM delivery WHERE \(DeliveryRow.isLive)")
                ?? 0)
    }

    private var differs: StoreError { damage("it is not what its checksum was made of") }

    /// What is to be written where the instance's key is; nil: it is there, or the store never had one.
    private func keyBytes(for backup: Backup) throws(StoreError) -> [UInt8]? {
        guard let mark = backup.keyMark else { return nil }
        let path = place.keyPath
        if let present = try InstanceKey.load(from: path, store: place.name) {
            guard present.mark == mark else { throw StoreError(.keyOfAnother(path: path), path: place.name) }
            return nil
        }
        let beside = StoreBackup.keyFile(of: file)
        guard let bytes = try InstanceKey.bytes(in: beside, store: place.name) else {
            let why =
                "has no key beside it (\(beside)), and there is none at \(path): put the instance's key there"
            throw StoreError(.noBackup(path: file, why: why), path: place.name)
        }
        guard InstanceKey(bytes: bytes).mark == mark else {
            throw StoreError(.noBackup(path: beside, why: "is not the key of that backup"), path: place.name)
        }
        return bytes
    }

    /// - Returns: the claim on the store that is there, so that no master begins; nil: there is none.
    private func mayReplace(_ path: String) throws(StoreError) -> (any StoreClaim)? {
        guard case .file(let identity, _) = FileIdentity.look(at: path) else { return nil }
        if FileIdentity.look(at: file).identity == identity {
            throw StoreError(.sameStore, path: path)
        }
        func refuse(_ path: String, _ why: String) -> StoreError {
            StoreError(.notReplaced(path: path, why: why), path: place.name)
        }
        guard isForced else {
            throw refuse(path, "is there already: --force moves it to \(path).replaced")
        }
        for suffix in Self.suffixes where PrivateFile.exists(path + ".replaced" + suffix) {
            throw refuse(path + ".replaced" + suffix, "is left of an earlier restore; take it away first")
        }
        guard let claim = try FileClaim.take(WatchedFile(.store, path: path, identity: identity)) else {
            throw StoreError(.served, path: path)
        }
        return claim
    }

    /// A log belongs to the name of its store: left behind, it would be read into the backup.
    private static let suffixes = ["", "-wal"]

    private func moveAside(_ path: String) throws(StoreError) -> String {
        let aside = path + ".replaced"
        for suffix in Self.suffixes where PrivateFile.exists(path + suffix) {
            guard unsafe rename(path + suffix, aside + suffix) == 0 else {
                throw StoreError(.file(path: path + suffix, why: SystemErrorText.of(errno)), path: place.name)
            }
        }
        unsafe _ = unlink(path + "-shm")
        return aside
    }

    private func makeFolder(of path: String) throws(StoreError) {
        do throws(PrivateFile.Failure) { try PrivateFile.createFolder(of: path) } catch {
            throw StoreError(.file(path: path, why: error.words), path: place.name)
        }
    }

    private func write(_ key: [UInt8], to path: String) throws(StoreError) {
        do throws(PrivateFile.Failure) {
            try PrivateFile.createFolder(of: path)
            guard try PrivateFile.create(path, containing: key) else {
                throw .system("somebody made one meanwhile")
            }
        } catch {
            throw StoreError(.file(path: path, why: error.words), path: place.name)
        }
    }

    /// Copies the backup and has the copy examined.
    /// - Returns: false where `proceed` ended it.
    private func copy(
        _ source: BackupFile, to path: String, _ proceed: (BackupProgress) -> Bool
    ) throws(StoreError) -> Bool {
        switch try check(source, copyingTo: path, proceed) {
        case .ended: return false
        case .differs: throw differs
        case .matches: break
        }
        do {
            switch try SQLiteCheck(path: path).run({ proceed(.checking(0, of: 0)) }) {
            case .ended: return false
            case .sound: return true
            case .damaged(let what): throw damage("SQLite found \(what.printable(atMost: 200))")
            }
        } catch {
            let error = error as? StoreError ?? StoreError(error, during: "examine it", path: file)
            guard case .corrupt = error.cause else { throw error }
            throw damage("SQLite cannot read it")
        }
    }

    private func check(
        _ source: BackupFile, copyingTo path: String? = nil, _ proceed: (BackupProgress) -> Bool
    ) throws(StoreError) -> BackupFile.Check {
        do throws(PrivateFile.Failure) {
            return try source.check(copyingTo: path) { bytes in
                guard path != nil else { return proceed(.checking(bytes, of: source.byteCount)) }
                return proceed(BackupProgress(bytes: bytes, totalBytes: source.byteCount))
            }
        } catch {
            throw StoreError(.file(path: path ?? file, why: error.words), path: place.name)
        }
    }
}
