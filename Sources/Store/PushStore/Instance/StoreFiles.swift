internal import Glibc
internal import PushSystem
internal import Synchronization

/// The files of an open store, by name and identity.
struct StoreFiles: Sendable {
    let store: WatchedFile
    let log: WatchedFile
    let index: WatchedFile

    static func logPath(_ path: String) -> String { path + "-wal" }

    /// Returns `nil` unless all files can be identified. Must be called while connections are open, because
    /// SQLite then neither removes nor replaces any of the three files.
    init?(of path: String) {
        func watched(_ role: WatchedFile.Role, _ path: String) -> WatchedFile? {
            FileIdentity.look(at: path).identity.map { WatchedFile(role, path: path, identity: $0) }
        }
        guard let store = watched(.store, path), let log = watched(.log, Self.logPath(path)),
            let index = watched(.index, path + "-shm")
        else { return nil }
        (self.store, self.log, self.index) = (store, log, index)
    }

    /// Returns the most serious change: if the store was replaced, its log was often replaced as well.
    func change() -> FileChange? { store.change() ?? log.change() ?? index.change() }
}

/// A claim on the store's own file, regardless of its name and of what happens to the lock files next to it.
///
/// The claim is a lock (`F_OFD_SETLK`) on one byte of the open file. This byte is far beyond the bytes that
/// SQLite locks and beyond any page, so the claim and SQLite's locks do not interfere, even on network file
/// systems.
/// **The descriptor is never closed**: close(2) on any descriptor of the file would drop all locks that
/// SQLite has on the file in this process.
final class FileClaim: StoreClaim {
    private let descriptor: Int32

    /// One descriptor for each store that this process has ever claimed.
    private static let opened = Mutex<[FileIdentity: Int32]>([:])
    /// The locked byte. SQLite's locked bytes are at 1 GiB (sqlite.org, "File Locking", PENDING_BYTE).
    private static let byte: off_t = 1 << 62
    /// `F_OFD_SETLK` of fcntl(2).
    private static let setOpenFileLock: Int32 = 37

    /// - Returns: `nil` if another process has claimed the store.
    static func take(_ file: WatchedFile) throws(StoreError) -> FileClaim? {
        let descriptor = opened.withLock { opened in
            if let known = opened[file.identity] { return known }
            let new = unsafe open(file.path, O_RDWR | O_CLOEXEC)
            if new >= 0, let identity = FileIdentity.look(at: new).identity { opened[identity] = new }
            return new
        }
        guard descriptor >= 0 else {
            let why = "\(SystemErrorText.of(errno)); \(StoreError.pathAdvice)"
            throw StoreError(.cannotOpen(why: why), path: file.path)
        }
        switch set(F_WRLCK, on: descriptor) {
        case 0: return FileClaim(descriptor: descriptor)
        case EAGAIN, EACCES: return nil
        case let error:
            let why = "it cannot be locked: \(SystemErrorText.of(error)); move it to a local file system"
            throw StoreError(.cannotOpen(why: why), path: file.path)
        }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = Self.set(F_UNLCK, on: descriptor) }

    private static func set(_ type: Int32, on descriptor: Int32) -> Int32 {
        var wish = flock()
        wish.l_type = Int16(type)
        wish.l_whence = Int16(SEEK_SET)
        wish.l_start = byte
        wish.l_len = 1
        return unsafe fcntl(descriptor, setOpenFileLock, &wish) == 0 ? 0 : errno
    }
}
