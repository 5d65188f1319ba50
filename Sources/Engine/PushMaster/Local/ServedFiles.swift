internal import Logging
internal import PushModel
internal import PushStore

/// The files that make a master the only one and to which it writes. They are checked every second, by their
/// names only.
struct ServedFiles {
    let store: Store
    let lock: InstanceLock

    /// Returns the first change. The store's own files come first: after a change to them, nothing more may
    /// be recorded.
    func change() -> FileChange? { store.change() ?? lock.change() }

    /// Returns the trouble with the instance's key, which this process has in memory; `nil` if there is none.
    func keyTrouble() -> String? { store.keyTrouble().map { "\($0)".printable(atMost: 1_000) } }

    /// Does what is still possible for a store that lost a file, after all writing has ended.
    func leave(_ change: FileChange, _ logger: Logger) {
        guard change.isOfStore else { return }
        // A process that opens the store after the log was removed creates an empty log with its name. That
        // log belongs to no other store.
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
    /// Whether the file belongs to the store itself. Anything recorded now might then go to the file of
    /// another store, or to none.
    var isOfStore: Bool { role != .lock }

    /// The message for the operator, with instructions.
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
