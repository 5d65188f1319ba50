internal import CPushShims
internal import Glibc
internal import Synchronization

/// Reaps the orphans that this process adopts as the first process of a container, for example processes that
/// a `docker exec` or a health check left behind. Otherwise they would accumulate until the process table is
/// full.
///
/// **Promises.** A child that ``ChildProcess`` has spawned is left to its owner, which needs the child's exit
/// status.
package enum OrphanReaper {
    /// The children that their owners will reap.
    private static let own = Mutex<Set<pid_t>>([])
    private static let secondsBetweenLooks: UInt32 = 1

    /// Looks for orphans every second on a separate thread, until the process ends. Does nothing if this
    /// process adopts no orphans.
    package static func start() throws(MasterError) {
        guard push_adopts_orphans() != 0 else { return }
        _ = try DedicatedThread(named: "orphans") {
            while true {
                reap()
                sleep(secondsBetweenLooks)
            }
        }
    }

    /// - Parameter spawn: Starts a process and returns its id; `nil` if no process was started. No orphan is
    ///   reaped while this function runs, because otherwise a child that ended immediately would be mistaken
    ///   for an orphan.
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
                // Orphans that follow this child in the kernel's list are found after the child's owner has
                // reaped it.
                guard !own.contains(ended) else { return false }
                return waitpid(ended, nil, WNOHANG) == ended
            }
            guard isReaped else { return }
        }
    }
}
