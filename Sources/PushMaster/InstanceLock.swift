internal import CPushShims
internal import Glibc
internal import PushModel

/// One sender for one store: two lock files beside it.
///
/// **Promises.** `.master` is held exclusively for the master's whole life. Each child holds `.children` in shared form
/// through an open file of its own, for its whole life; a new master grants nothing until it had that lock in its
/// exclusive form once, that is, until no child of an earlier master lives. The kernel drops both with the process.
package final class InstanceLock: Sendable {
    private let master: Int32
    private let childrenPath: String

    /// Takes the master's lock or says who is in the way.
    package init(besideStore storePath: String) throws(MasterError) {
        let path = storePath + ".master"
        childrenPath = storePath + ".children"
        // Assigned last: a class that throws with all its properties set is deinitialised, and would close it twice.
        let descriptor = try Self.openLockFile(path)
        // Whoever asks `isHeld` holds the lock for a moment.
        var error = push_flock(descriptor, LOCK_EX | LOCK_NB)
        for _ in 0..<20 where error == EWOULDBLOCK {
            usleep(50_000)
            error = push_flock(descriptor, LOCK_EX | LOCK_NB)
        }
        if error != 0 {
            close(descriptor)
            if error == EWOULDBLOCK { throw .anotherMaster(lockFile: path) }
            throw .system(what: "lock", path: path, errorNumber: error)
        }
        master = descriptor
    }

    deinit { close(master) }

    /// Whether children of an earlier master are gone. Asks once, does not wait.
    package func childrenAreGone() throws(MasterError) -> Bool {
        let descriptor = try Self.openLockFile(childrenPath)
        defer { close(descriptor) }
        let error = push_flock(descriptor, LOCK_EX | LOCK_NB)
        if error == 0 { return true }
        if error == EWOULDBLOCK { return false }
        throw .system(what: "lock", path: childrenPath, errorNumber: error)
    }

    /// Waits until no child of an earlier master lives. They end by themselves when their link closes.
    package func waitForChildren(atMostSeconds limit: Int64) throws(MasterError) {
        let start = Clocks.monotonic()
        while try !childrenAreGone() {
            guard Clocks.monotonic().milliseconds(since: start) < limit * 1_000 else {
                throw .childrenOutlived(lockFile: childrenPath, seconds: limit)
            }
            usleep(20_000)
        }
    }

    /// An open file with a shared lock, to be given to one child; the caller closes its own copy after the birth.
    package func sharedLockForChild() throws(MasterError) -> Int32 {
        let descriptor = try Self.openLockFile(childrenPath)
        let error = push_flock(descriptor, LOCK_SH | LOCK_NB)
        guard error == 0 else {
            close(descriptor)
            throw .system(what: "lock", path: childrenPath, errorNumber: error)
        }
        return descriptor
    }

    /// Whether a master serves this store, as another process sees it.
    package static func isHeld(besideStore storePath: String) -> Bool {
        let descriptor = unsafe open(storePath + ".master", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return push_flock(descriptor, LOCK_EX | LOCK_NB) == EWOULDBLOCK
    }

    private static func openLockFile(_ path: String) throws(MasterError) -> Int32 {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(what: "open", path: path, errorNumber: errno) }
        return descriptor
    }
}
