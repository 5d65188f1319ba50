internal import CPushShims
internal import Glibc
internal import Synchronization

/// Reaps the orphans that this process adopts as the first process of a container: what a `docker exec` or a health
/// check left behind. Without it, each of them stays in the process table until that is full.
///
/// **Promises.** A child that ``ChildProcess`` has spawned is left to its owner, who needs its exit status.
package enum OrphanReaper {
    /// Children that somebody waits for.
    private static let own = Mutex<Set<pid_t>>([])
    private static let secondsBetweenLooks: UInt32 = 1

    /// Looks for orphans each second for the life of the process, on a thread of its own; does nothing in a process that
    /// adopts none.
    package static func start() throws(MasterError) {
        guard push_adopts_orphans() != 0 else { return }
        _ = try DedicatedThread(named: "orphans") {
            while true {
                reap()
                sleep(secondsBetweenLooks)
            }
        }
    }

    /// - Parameter spawn: returns the process that it started; nil: none. No orphan is reaped meanwhile, or a child that
    ///   ended at once would be taken for one.
    static func whileSpawning(_ spawn: () -> pid_t?) {
        own.withLock { own in
            if let child = spawn() { own.insert(child) }
        }
    }

    /// The child was reaped by its owner.
    static func forget(_ child: pid_t) { own.withLock { _ = $0.remove(child) } }

    private static func reap() {
        while case let ended = push_ended_child(), ended > 0 {
            let isReaped = own.withLock { own in
                // Orphans behind it are seen when its owner has reaped it.
                guard !own.contains(ended) else { return false }
                return waitpid(ended, nil, WNOHANG) == ended
            }
            guard isReaped else { return }
        }
    }
}
