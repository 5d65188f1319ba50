internal import Logging
internal import PushModel
internal import PushStore

/// The lock files and the store's files, which a master uses while it serves. They are checked every second,
/// by their names only.
struct ServedFiles {
    let store: Store
    let lock: InstanceLock

    /// Returns the first change. The store's own files come first: after a change to these files, nothing
    /// more may be recorded.
    func change() -> FileChange? { store.change() ?? lock.change() }

    /// Returns a description of the trouble with the instance's key file; `nil` if there is none. The trouble
    /// does not affect this process, which has the key in memory.
    func keyFailure() -> String? { store.keyFailure().map { "\($0)".printable(atMost: 1_000) } }

    /// Rescues what can be rescued after a store has lost a file. Called after all writing has ended.
    func leave(_ change: FileChange, _ logger: Logger) {
        guard change.isOfStore else { return }
        // A process that opens the store after the log was removed creates an empty log with the same name.
        // That log does not belong to another store.
        if change.role == .log { rescueLog(change.path.printable(atMost: 1_000), logger) }
        store.abandon()
    }

    private static let consequence =
        "their messages are sent again after the next start; do not remove the files next to the store"

    private func rescueLog(_ log: String, _ logger: Logger) {
        do {
            if try store.rescueLog() {
                logger.notice(
                    "\(log) was removed, but nothing was lost: all records are in the store")
            } else {
                logger.critical("the latest records were lost with \(log): \(Self.consequence)")
            }
        } catch {
            logger.critical(
                """
                the latest records were lost with \(log): \("\(error)".printable(atMost: 1_000)); \
                \(Self.consequence)
                """)
        }
    }
}

extension FileChange {
    /// Whether the file belongs to the store itself. If so, anything recorded after the change might be
    /// written to another store's file, or to no file.
    var isOfStore: Bool { role != .lock }

    /// The message for the operator, with instructions.
    var advice: String {
        switch role {
        case .claim:
            """
            \(self) by another host, which now serves the store: nothing more is sent or recorded here. \
            That host sends in-flight messages again; this host starts over as a standby
            """
        case .store, .log, .index:
            """
            \(self) while it was served: nothing more is sent or recorded here. Restore the files of one \
            store, with its own -wal and -shm if there are any, and start the service; in-flight messages \
            are sent again
            """
        case .database:
            """
            \(self) while it was served, or was recreated or restored: nothing more is sent or recorded \
            here. Put the right database in place and start the service; in-flight messages are sent again
            """
        case .lock:
            """
            \(self) while it was held, so another master could start: finishing in-flight messages, then \
            ending. Start the service, and do not touch the files next to the store
            """
        }
    }
}
