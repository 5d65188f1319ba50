internal import CPushShims
internal import Glibc
internal import Synchronization

/// Reaps the orphans that this process adopts as the first process of a container, for example processes that
/// a `docker exec` or a health check left behind. Otherwise each of them would stay in the process table
/// until that is full.
///
/// **Promises.** A child that ``ChildProcess`` has spawned is left to its owner, which needs its exit status.
package enum OrphanReaper {
    /// The children for which an owner waits.
    private static let own = Mutex<Set<pid_t>>([])
    private static let secondsBetweenLooks: UInt32 = 1

    /// Looks for orphans each second for the life of the process, on a separate thread. Does nothing in a
    /// process that adopts none.
    package static func start() throws(MasterError) {
        guard push_adopts_orphans() != 0 else { return }
        _ = try DedicatedThread(named: "orphans") {
            while true {
                reap()
                sleep(secondsBetweenLooks)
            }
        }
    }

    /// - Parameter spawn: Returns the process that it started; `nil` if there is none. While it runs, no
    ///   orphan is reaped. Otherwise a child that ended immediately would be mistaken for an orphan.
    static func whileSpawning(_ spawn: () -> pid_t?) {
        own.withLock { own in
            if let child = spawn() { own.insert(child) }
        }
    }

    /// Records that the owner has reaped the child.
    static func forget(_ child: pid_t) { own.withLock { _ = $0.remove(child) } }

    private static func reap() {
        while case let ended = push_ended_child(), ended > 0 {
            let isReaped = own.withLock { own in
                // Orphans that follow this child in the kernel's list are found after its owner has reaped
                // it.
                guard !own.contains(ended) else { return false }
                return waitpid(ended, nil, WNOHANG) == ended
            }
            guard isReaped else { return }
        }
    }
}
