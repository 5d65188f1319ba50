import Glibc
import Testing

/// SQLite's write lock, taken as any writing process takes it: byte 120 of the index file (sqlite.org,
/// "WAL-mode File Format", section 2.3.1, WAL_WRITE_LOCK).
struct StoreWriteLock {
    private let descriptor: Int32

    init(_ store: String) throws {
        descriptor = unsafe open("\(store)-shm", O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        var wish = flock()
        wish.l_type = Int16(F_WRLCK)
        wish.l_whence = Int16(SEEK_SET)
        wish.l_start = 120
        wish.l_len = 1
        // Waits for the current writer.
        try #require(unsafe fcntl(descriptor, F_SETLKW, &wish) == 0)
    }

    /// Closing the file releases its locks.
    func release() { close(descriptor) }
}
