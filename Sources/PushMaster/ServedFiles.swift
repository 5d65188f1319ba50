internal import Logging
internal import PushStore

/// The files that make a master the only one, and that it writes to: looked at every second, by their names alone.
struct ServedFiles {
    let store: Store
    let lock: InstanceLock

    /// The store's own first: after them nothing more may be recorded.
    func change() -> FileChange? { store.change() ?? lock.change() }

    /// What can still be done for a store that lost a file, when nobody writes any more.
    func leave(_ change: FileChange, _ logger: Logger) {
        guard change.isOfStore else { return }
        if change.role == .log, change.kind == .removed {
            do {
                if try store.rescueLog() {
                    logger.notice("everything that was recorded is in \(store.path), without the log that was removed")
                } else {
                    logger.critical("what was recorded last is lost with \(change.path): those messages are sent again")
                }
            } catch {
                logger.critical("what was recorded last is lost with \(change.path): \(error)")
            }
        }
        store.abandon()
    }
}

extension FileChange {
    /// A file of the store itself: what is recorded now might go to another store's file, or to none.
    var isOfStore: Bool { role != .lock }

    /// What the operator is told, and what to do.
    var advice: String {
        isOfStore
            ? """
              \(self) while it was served: nothing more is sent or recorded here. Put the right files in place, store, \
              -wal and -shm together, and run again; what was in flight is sent again
              """
            : """
              \(self) while it was held, so that another master might start: finishing what is out, then ending. Run \
              again, and leave the files beside the store alone
              """
    }
}
