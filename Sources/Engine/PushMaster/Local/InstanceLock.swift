internal import CPushShims
internal import Glibc
internal import PushModel
package import PushStore
internal import PushSystem

/// Ensures that a store has only one sender by locking two files next to the store.
///
/// **Promises.** The master holds `.master` exclusively for its whole life. Each child opens `.children`
/// separately and holds a shared lock on it for its whole life. A new master grants nothing until it has once
/// locked `.children` exclusively, which is possible only when no child of an earlier master is alive. The
/// kernel releases both locks when the process ends.
///
/// An operator might remove the lock files, although the documentation forbids it. A lock on a file without a
/// name keeps no process out. In that case the master's claim on the store itself (``PushStore/StoreClaim``)
/// keeps other processes out, until the master detects the ``change()`` and ends.
package final class InstanceLock: Sendable {
    private let master: Int32
    /// The descriptor of the children's lock file. This process keeps the file open, without a lock, so that
    /// the file's inode number is not reused.
    private let children: Int32
    private let files: [WatchedFile]
    private var childrenPath: String { files[1].path }

    /// Takes the master's lock, or throws ``MasterError/anotherMaster(lockFile:)`` if another process holds
    /// it.
    /// - Parameter storePath: The path without symbolic links, as the store itself reports it.
    package init(forStore storePath: String) throws(MasterError) {
        // The properties are assigned last: if the initialiser of a class throws after all properties are
        // set, the object is deinitialised, and the descriptors would be closed twice.
        let path = Self.path(forStore: storePath)
        let childrenPath = Self.childrenPath(forStore: storePath)
        let descriptor = try Self.openLockFile(path)
        do throws(MasterError) {
            try Self.lock(descriptor, path)
            let own = try Self.watched(descriptor, path)
            let childrenDescriptor = try Self.openLockFile(childrenPath)
            do throws(MasterError) {
                files = [own, try Self.watched(childrenDescriptor, childrenPath)]
            } catch {
                close(childrenDescriptor)
                throw error
            }
            (master, children) = (descriptor, childrenDescriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func watched(_ descriptor: Int32, _ path: String) throws(MasterError) -> WatchedFile {
        guard let identity = FileIdentity.look(at: descriptor).identity else {
            throw .system(what: "look at", path: path, errorNumber: errno)
        }
        return WatchedFile(.lock, path: path, identity: identity)
    }

    deinit {
        close(children)
        close(master)
    }

    private static func lock(_ descriptor: Int32, _ path: String) throws(MasterError) {
        // A process that calls `isHeld` briefly holds the lock.
        var error = push_flock(descriptor, LOCK_EX | LOCK_NB)
        for _ in 0..<20 where error == EWOULDBLOCK {
            usleep(50_000)
            error = push_flock(descriptor, LOCK_EX | LOCK_NB)
        }
        if error == EWOULDBLOCK { throw .anotherMaster(lockFile: path) }
        if error != 0 { throw .system(what: "lock", path: path, errorNumber: error) }
    }

    /// Returns the first lock file that was replaced or removed since it was opened; `nil` if there is none.
    package func change() -> FileChange? {
        for file in files { if let change = file.change() { return change } }
        return nil
    }

    /// Reports whether all children of an earlier master have ended. Checks once, without waiting.
    package func childrenAreGone() throws(MasterError) -> Bool {
        let descriptor = try openChildrenFile()
        defer { close(descriptor) }
        let error = push_flock(descriptor, LOCK_EX | LOCK_NB)
        if error == 0 { return true }
        if error == EWOULDBLOCK { return false }
        throw .system(what: "lock", path: childrenPath, errorNumber: error)
    }

    /// Waits until no child of an earlier master is alive. The children end by themselves when their link
    /// closes.
    /// - Parameter isStopping: A function that is called between two checks. It may wait briefly, and returns
    ///   `true` to end the wait.
    /// - Returns: `false` if the wait was ended early.
    package func waitForChildren(
        atMostSeconds limit: Int64,
        isStopping: () -> Bool = {
            usleep(20_000)
            return false
        }
    ) throws(MasterError) -> Bool {
        let start = Clocks.monotonic()
        while try !childrenAreGone() {
            guard Clocks.monotonic().milliseconds(since: start) < limit * 1_000 else {
                throw .childrenOutlived(lockFile: childrenPath, seconds: limit)
            }
            if isStopping() { return false }
        }
        return true
    }

    /// Waits until no child is alive. Other processes call this function if no master is running.
    /// - Returns: Whether all children have ended.
    package static func waitForChildren(
        forStore storePath: String, atMostSeconds limit: Int64
    ) throws(MasterError) -> Bool {
        let path = childrenPath(forStore: storePath)
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return true }
            throw .system(
                what: "determine whether children are running: cannot open", path: path, errorNumber: errno)
        }
        defer { close(descriptor) }
        let end = Clocks.monotonic().advanced(bySeconds: limit)
        while true {
            let error = push_flock(descriptor, LOCK_EX | LOCK_NB)
            if error == 0 { return true }
            guard error == EWOULDBLOCK else {
                throw .system(
                    what: "determine whether children are running: cannot lock", path: path,
                    errorNumber: error)
            }
            guard Clocks.monotonic() < end else { return false }
            usleep(20_000)
        }
    }

    /// Returns an open file with a shared lock, to be given to one child. The caller closes its own copy
    /// after the spawn.
    package func sharedLockForChild() throws(MasterError) -> Int32 {
        let descriptor = try openChildrenFile()
        let error = push_flock(descriptor, LOCK_SH | LOCK_NB)
        guard error == 0 else {
            close(descriptor)
            throw .system(what: "lock", path: childrenPath, errorNumber: error)
        }
        return descriptor
    }

    /// Reports whether a master serves this store. Other processes call this function. It requires no write
    /// permission, because the file system may have become read-only.
    package static func isHeld(forStore storePath: String) throws(MasterError) -> Bool {
        let path = path(forStore: storePath)
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return false }
            throw .system(
                what: "determine whether a master is running: cannot open", path: path, errorNumber: errno)
        }
        defer { close(descriptor) }
        // The lock is shared, so that two simultaneous checks do not mistake each other for a master.
        switch push_flock(descriptor, LOCK_SH | LOCK_NB) {
        case 0: return false
        case EWOULDBLOCK: return true
        case let error:
            throw .system(
                what: "determine whether a master is running: cannot lock", path: path, errorNumber: error)
        }
    }

    private static func path(forStore storePath: String) -> String { storePath + ".master" }
    private static func childrenPath(forStore storePath: String) -> String { storePath + ".children" }

    /// Opens the children's lock file again. It must be the same file as before, because otherwise the
    /// children of two masters would hold locks on different files.
    private func openChildrenFile() throws(MasterError) -> Int32 {
        let descriptor = try Self.openLockFile(childrenPath)
        if let change = files[1].change(seen: FileIdentity.look(at: descriptor)) {
            close(descriptor)
            throw .fileChanged(change)
        }
        return descriptor
    }

    private static func openLockFile(_ path: String) throws(MasterError) -> Int32 {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(what: "open", path: path, errorNumber: errno) }
        return descriptor
    }
}
