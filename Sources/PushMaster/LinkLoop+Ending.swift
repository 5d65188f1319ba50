internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushSystem

/// The end of a master: by order, or because its files are no longer those that it opened.
extension LinkLoop {
    struct End {
        /// By when everything must be over.
        var deadline: MonotonicTime
        /// nil: it was told to end.
        var change: FileChange?
    }

    /// Of the time to end, what the writer has after the last child was killed.
    private static let lastWordsSeconds: Int64 = 2

    /// All children have gone; or a store that cannot be written keeps their last words from being recorded, and
    /// waiting longer helps nobody: what is not recorded is sent again.
    var isOver: Bool {
        guard let endDeadline else { return false }
        if children.isEmpty { return true }
        guard Clocks.monotonic() > endDeadline else { return false }
        logger.critical("leaving with up to \(ledger.unrecorded) outcomes unrecorded: those messages are sent again")
        return true
    }

    /// One deadline for all: children finish what they have, the writer records it, and what is left is left.
    func shutDown(at now: MonotonicTime) {
        guard endDeadline == nil else { return }
        let end = now.advanced(bySeconds: settings.drainSeconds)
        (endDeadline, drainDeadline) = (end, end.advanced(bySeconds: -Self.lastWordsSeconds))
        writer.send(.lastTry(by: end))
        logger.notice("shutting down: up to \(ledger.unrecorded) messages are out, \(settings.drainSeconds) s to finish")
        for id in children.keys { drain(id) }
    }

    /// Whose files were replaced must not go on: another master may serve what has their names now.
    func checkFiles(at now: MonotonicTime) {
        if let found = files.change(), change?.isOfStore != true, change != found {
            logger.critical("\(found.advice)")
            change = found
            if found.isOfStore { leaveAtOnce(at: now) } else { shutDown(at: now) }
        }
        let names = files.store.nameCount
        if names > 1 {
            complain(
                """
                the store \(files.store.path) was given \(names) names (hard links), and whoever opens it by another one \
                would damage it; remove all but one
                """, at: now)
        }
    }

    /// Nothing that is said from now on can be recorded, so nothing more is to be sent.
    private func leaveAtOnce(at now: MonotonicTime) {
        writer.send(.abandon)
        for child in children.values where child.isConnected { _ = child.process.killAndReap() }
        for id in children.keys { children[id]?.end.close() }
        children = [:]
        (endDeadline, drainDeadline) = (now, now)
    }
}
