internal import Glibc
package import PushModel
internal import PushSystem

/// The progress of a backup.
package struct BackupProgress: Equatable, Sendable {
    /// For a store in a file, the number of bytes copied so far. ``totalBytes`` is the number to copy.
    package var bytes = 0
    package var totalBytes = 0
    /// The progress of the copy, for a store on a server.
    package var copy: CopyProgress?
    /// Whether the file is being checked rather than copied. While the checksum is computed, ``bytes`` is the
    /// number of bytes read so far. While SQLite examines the whole file, ``bytes`` is 0.
    package var isChecking = false

    static func checking(_ bytes: Int, of total: Int) -> BackupProgress {
        BackupProgress(bytes: bytes, totalBytes: total, isChecking: true)
    }
}

/// The result of a backup.
package struct BackupResult: Codable, Equatable, Sendable {
    package var file: String
    /// The file with the key; `nil` if no key file was requested, or if the store has no key yet.
    package var keyFile: String?
    package var bytes: Int
    /// The duration of the backup. The caller that requested the backup sets it.
    package var milliseconds: Int64 = 0

    package init(file: String, keyFile: String?, bytes: Int) {
        (self.file, self.keyFile, self.bytes) = (file, keyFile, bytes)
    }
}

/// Makes a consistent copy of a store in one SQLite file while other processes serve the store.
///
/// **Promises.** The copy shows the store as it is at one moment. No process waits for the backup, which
/// reads within one read transaction. During this transaction, SQLite's log grows with every write, and
/// PostgreSQL keeps dead rows. The copy either appears under its name, complete, on disk and readable only by
/// its owner, or does not appear at all. The instance's key is written to a separate file, `FILE.key`:
/// without it, credentials cannot be opened, and ids that devices report have no meaning. The copy identifies
/// itself as a backup (``BackupMark``), and ends with its checksum (``BackupSeal``).
/// **Failures.** ``StoreError``. After a failure, a file that already had the backup's name is unchanged.
package struct StoreBackup: Sendable {
    private let engine: any StoreEngine
    private let file: String
    private let withKey: Bool
    private let isForced: Bool

    init(_ engine: any StoreEngine, to file: String, withKey: Bool, isForced: Bool) {
        self.engine = engine
        self.file = file
        self.withKey = withKey
        self.isForced = isForced
    }

    private var keyFile: String { Self.keyFile(of: file) }

    static func keyFile(of file: String) -> String { file + ".key" }

    /// - Parameter proceed: Called after each step. Returns `false` to end the backup.
    /// - Returns: `nil` if `proceed` ended the backup.
    package func run(
        at now: WallMoment, _ proceed: @escaping (BackupProgress) -> Bool = { _ in true }
    ) throws(StoreError) -> BackupResult? {
        let key = withKey ? try keyBytes() : nil
        try check(key)
        let draft = try BackupDraft(nextTo: file, place: engine.place)
        let copy = draft.file(Self.copyName)
        guard try engine.copy(to: copy, at: now, proceed), try seal(copy, proceed) else { return nil }
        let bytes = PrivateFile.size(of: copy)
        if let key {
            // Place the key before the copy, so that no copy is ever without its key.
            do throws(PrivateFile.Failure) {
                _ = try PrivateFile.create(draft.file("instance.key"), containing: key)
            } catch {
                throw StoreError(.file(path: keyFile, why: "\(error.words)"), path: engine.place)
            }
            try check(key)
            try draft.place("instance.key", at: keyFile)
        } else {
            try check(nil)
        }
        try draft.place(Self.copyName, at: file)
        return BackupResult(file: file, keyFile: key == nil ? nil : keyFile, bytes: bytes)
    }

    static let copyName = "pushmta.db"

    /// - Returns: `false` if `proceed` ended the call.
    private func seal(_ copy: String, _ proceed: (BackupProgress) -> Bool) throws(StoreError) -> Bool {
        let total = PrivateFile.size(of: copy)
        do throws(PrivateFile.Failure) {
            return try BackupFile.seal(copy) { proceed(.checking($0, of: total)) }
        } catch {
            throw StoreError(.file(path: file, why: error.words), path: engine.place)
        }
    }

    /// Returns the key; `nil` if the store has none yet.
    private func keyBytes() throws(StoreError) -> [UInt8]? {
        let mark = try engine.reader.read("read the key's mark") { try Store.keyMark($0) }
        guard let mark else { return nil }
        let path = engine.keyPath
        guard let bytes = try InstanceKey.bytes(in: path, store: engine.place) else {
            throw StoreError(.keyMissing(path: path), path: engine.place)
        }
        guard InstanceKey(bytes: bytes).mark == mark else {
            throw StoreError(.keyForeign(path: path), path: engine.place)
        }
        return bytes
    }

    /// Checks that the names are unused, or that the existing files may be replaced.
    private func check(_ key: [UInt8]?) throws(StoreError) {
        try check(file)
        guard let key, try InstanceKey.bytes(in: keyFile, store: engine.place) != key else { return }
        try check(keyFile)
    }

    private func check(_ path: String) throws(StoreError) {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else {
            if errno == ENOENT { return }
            throw StoreError(.file(path: path, why: SystemErrorText.of(errno)), path: engine.place)
        }
        func refuse(_ why: String) -> StoreError {
            StoreError(.notReplaced(path: path, why: why), path: engine.place)
        }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw refuse("is not a file; specify another path") }
        let identity = FileIdentity(facts)
        let own =
            ["", "-wal", "-shm", ".master", ".children", ".turns"].map { engine.instancePath + $0 } + [
                engine.keyPath
            ]
        guard !own.contains(where: { FileIdentity.look(at: $0).identity == identity }) else {
            throw refuse("belongs to the store itself; specify another path")
        }
        guard isForced else {
            throw refuse("already exists; specify another path, or replace it with --force")
        }
    }
}

extension PrivateFile.Failure {
    package var words: String {
        switch self {
        case .missing: "there is no such file"
        case .exposed: "it can be read by others; run chmod 600 on it"
        case .notAFile: "it is not a file"
        case .system(let why): why
        }
    }
}
