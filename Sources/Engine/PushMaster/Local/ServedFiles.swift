internal import Logging
internal import PushModel
internal import PushStore

/// The files that make a master the only one, and that it writes to: looked at every second, by their names
/// alone.
struct ServedFiles {
    let store: Store
    let lock: InstanceLock

    /// The store's own first: after them nothing more may be recorded.
    func change() -> FileChange? { store.change() ?? lock.change() }

    /// What is wrong with the instance's key, which this process has in memory; nil: nothing.
    func keyTrouble() -> String? { store.keyTrouble().map { "\($0)".printable(atMost: 1_000) } }

    /// What can still be done for a store that lost a file, when nobody writes any more.
    func leave(_ change: FileChange, _ logger: Logger) {
        guard change.isOfStore else { return }
        // Whoever opens the store after the log was removed makes an empty one of its name: that is no other
        // store's.
        if change.role == .log { rescueLog(change.path.printable(atMost: 1_000), logger) }
        store.abandon()
    }

    private func rescueLog(_ log: String, _ logger: Logger) {
        do {
            if try store.rescueLog() {
                logger.notice(
                    "everything that was recorded is in the store, without \(log), which was taken away")
            } else {
                logger.critical("what was recorded last is lost with \(log): those messages are sent again")
            }
        } catch {
            logger.critical(
                "what was recorded last is lost with \(log): \("\(error)".printable(atMost: 1_000))")
        }
    }
}

extension FileChange {
    /// A file of the store itself: what is recorded now might go to another store's file, or to none.
    var isOfStore: Bool { role != .lock }

    /// What the operator is told, and what to do.
    var advice: String {
        switch role {
        case .claim:
            """
            \(self) by another host, which serves the store now: nothing more is sent or recorded here. What was in \
            flight is sent again by that one; this host begins anew and stands by
            """
        case .store, .log, .index:
            """
            \(self) while it was served: nothing more is sent or recorded here. Put the files of one store in place, \
            with the -wal and -shm that belong to it if it has any, and run again; what was in flight is sent again
            """
        case .database:
            """
            \(self) while it was served, made anew or restored: nothing more is sent or recorded here. Put the right \
            database in place and run again; what was in flight is sent again
            """
        case .lock:
            """
            \(self) while it was held, so that another master might start: finishing what is out, then ending. Run \
            again, and leave the files beside the store alone
            """
        }
    }
}
