internal import Glibc
package import PushModel
internal import PushSystem

/// The result of a restore.
package struct RestoreResult: Codable, Equatable, Sendable {
    package var store: String
    /// The time when the backup was taken.
    package var takenAt: WallMoment
    /// The number of deliveries that had not ended at that time. They are on hold.
    package var held: Int
    /// The new path of the previous store; `nil` if there was none.
    package var replaced: String?
}

/// Replaces a store of any engine with a backup.
///
/// **Promises.** The backup itself is only read. A damaged backup is refused: one that does not match its
/// checksum (``BackupSeal``), one that has no checksum, and one in which SQLite finds an error
/// (``SQLiteCheck``). No master serves the store during the restore, and the previous store is moved aside
/// together with its log, not overwritten. If the instance has no key, the backup's key is restored. If the
/// instance has a key, it must be the same as the backup's. Deliveries that had not ended are put on hold
/// (``BackupMark``). The restore's line is in the audit trail when the restored store appears.
package struct StoreRestore: Sendable {
    private let file: String
    private let place: Store.Place
    private let isForced: Bool
    private let note: AuditNote?

    /// - Parameters:
    ///   - isForced: Whether an existing store may be moved aside. If not, an existing store causes a
    ///     refusal.
    ///   - note: The line for the restored store's audit trail; `nil` for none.
    package init(from file: String, to place: Store.Place, isForced: Bool, noting note: AuditNote? = nil) {
        self.file = file
        self.place = place
        self.isForced = isForced
        self.note = note
    }

    /// The information that a backup contains about itself.
    private struct Backup {
        var taken: WallMoment
        var keyMark: [UInt8]?
        var live: Int
    }

    private static let busyTimeoutMilliseconds = 10_000
    private static let advice = "restore another backup"

    /// - Parameter proceed: Called after each step. Returns `false` to end the restore. In that case, nothing
    ///   has changed, except that a store on a server may contain an unfinished copy.
    /// - Returns: `nil` if `proceed` ended the restore.
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
            let draft = try BackupDraft(nextTo: path, place: place.name)
            guard try copy(source, to: draft.file(StoreBackup.copyName), proceed) else { return nil }
            if let key { try write(key, to: place.keyPath) }
            result.replaced = claim == nil ? nil : try moveAside(path)
            try draft.place(StoreBackup.copyName, at: path)
        case .postgreSQL:
            try makeFolder(of: place.instancePath)
            let draft = try BackupDraft(nextTo: place.instancePath, place: place.name)
            guard try copy(source, to: draft.file(StoreBackup.copyName), proceed) else { return nil }
            // ``StoreCopy`` reads the key from the folder of its source.
            var bytes = key
            if bytes == nil { bytes = try InstanceKey.bytes(in: place.keyPath, store: place.name) }
            if let bytes { try write(bytes, to: draft.file("instance.key")) }
            let from = Store.Place.sqlite(path: draft.file(StoreBackup.copyName))
            // Opening the backup for use migrates the tables of an earlier version. ``StoreCopy`` requires
            // the current version.
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
            throw StoreError(.file(path: file, why: error.words), path: place.name)
        }
    }

    /// Reads the backup's information about itself, before anything is copied. If this information cannot be
    /// read, the checksum shows whether the file is a damaged backup or was never a backup.
    /// - Returns: `nil` if `proceed` ended the call.
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
                case .notAStore: throw refusal("is not a backup of a store")
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
            case .nothing, .unfinishedCopy: throw refusal("is not a backup of a store")
            }
        } catch {
            guard case .formerVersion = error.cause else { throw error }
            throw refusal(
                """
                was taken before version \(StoreSchema.migratingRelease); restore it with that version, \
                and take a new backup
                """
            )
        }
        let found = try Connection(connection, path: file).read("read a backup", Self.backup)
        guard let found else {
            throw refusal("is a store and not a backup; 'pushmta backup' creates backups")
        }
        return found
    }

    /// Returns the information that a backup contains about itself; `nil` if this is not a backup.
    private static func backup(_ db: any Session) throws -> Backup? {
        guard let taken = try db.value(Int64.self, sql: "SELECT taken_ms FROM backup") else { return nil }
        return Backup(
            taken: WallMoment(millisecondsSince1970: taken), keyMark: try Store.keyMark(db),
            live: try db.value(Int.self, sql: "SELECT count(*) FROM delivery WHERE \(DeliveryRow.isLive)")
                ?? 0)
    }

    private var differs: StoreError { damage("its checksum does not match its contents") }

    /// Returns the bytes to write as the instance's key; `nil` if the key exists already, or if the backed-up
    /// store never had one.
    private func keyBytes(for backup: Backup) throws(StoreError) -> [UInt8]? {
        guard let mark = backup.keyMark else { return nil }
        let path = place.keyPath
        if let present = try InstanceKey.load(from: path, store: place.name) {
            guard present.mark == mark else { throw StoreError(.keyOfAnother(path: path), path: place.name) }
            return nil
        }
        let keyFile = StoreBackup.keyFile(of: file)
        guard let bytes = try InstanceKey.bytes(in: keyFile, store: place.name) else {
            let why =
                """
                has no key next to it (\(keyFile)), and there is no key at \(path); put the instance's \
                key at one of these paths
                """
            throw StoreError(.noBackup(path: file, why: why), path: place.name)
        }
        guard InstanceKey(bytes: bytes).mark == mark else {
            let why = "is not the key of that backup; replace it with the backup's key"
            throw StoreError(.noBackup(path: keyFile, why: why), path: place.name)
        }
        return bytes
    }

    /// - Returns: The claim on the existing store, which prevents a master from starting; `nil` if there is
    ///   no store.
    private func mayReplace(_ path: String) throws(StoreError) -> (any StoreClaim)? {
        guard case .file(let identity, _) = FileIdentity.look(at: path) else { return nil }
        if FileIdentity.look(at: file).identity == identity {
            throw StoreError(.sameStore, path: path)
        }
        func refuse(_ path: String, _ why: String) -> StoreError {
            StoreError(.notReplaced(path: path, why: why), path: place.name)
        }
        guard let claim = try FileClaim.take(WatchedFile(.store, path: path, identity: identity)) else {
            throw StoreError(.served, path: path)
        }
        guard isForced else {
            throw refuse(path, "already exists; use --force to move it to \(path).replaced")
        }
        let left = Self.suffixes.map { path + ".replaced" + $0 }.filter(PrivateFile.exists)
        guard let first = left.first else { return claim }
        let others = left.dropFirst().map { "and \($0) " }.joined()
        let (verb, object) = others.isEmpty ? ("is", "it") : ("are", "them")
        throw refuse(first, "\(others)\(verb) left over from an earlier restore; remove \(object) first")
    }

    /// SQLite derives the log's name from the store's name. If the log were left behind, SQLite would apply
    /// it to the restored backup.
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
                throw .system("another process created it in the meantime; try again")
            }
        } catch {
            throw StoreError(.file(path: path, why: error.words), path: place.name)
        }
    }

    /// Copies the backup, examines the copy, and adds the line to its audit trail.
    /// - Returns: `false` if `proceed` ended the call.
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
            case .sound: break
            case .damaged(let what): throw damage("SQLite found \(what.printable(atMost: 200))")
            }
        } catch {
            let error = error as? StoreError ?? StoreError(error, during: "examine it", path: file)
            guard case .corrupt = error.cause else { throw error }
            throw damage("SQLite cannot read it")
        }
        if let note { try SQLiteStore.add(note, toFile: path) }
        return true
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
