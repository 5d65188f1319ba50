internal import Logging
package import PushModel
internal import PushSchedule
internal import PushStore

/// The end of a master: by order, or because its files are no longer those that it opened.
extension MasterMachine {
    struct End: Sendable {
        /// By when everything must be over.
        var deadline: MonotonicTime
        /// nil: it was told to end.
        var change: FileChange?
    }

    /// Of the time to end, what the writer has after the last child was killed.
    private static let lastWordsSeconds: Int64 = 2

    package enum Ending: Sendable { case notYet, orderly, withoutTheLastWords }

    /// All children have gone; or a store that cannot be written keeps their last words from being recorded,
    /// and waiting longer helps nobody: what is not recorded is sent again.
    package func ending(at now: MonotonicTime) -> Ending {
        guard let endDeadline else { return .notYet }
        if children.isEmpty { return .orderly }
        return now > endDeadline ? .withoutTheLastWords : .notYet
    }

    /// One deadline for all: children finish what they have, the writer records it, and what is left is left.
    mutating func shutDown() {
        guard endDeadline == nil else { return }
        let end = now.advanced(bySeconds: settings.drainSeconds)
        (endDeadline, drainDeadline) = (end, end.advanced(bySeconds: -Self.lastWordsSeconds))
        write(.lastTry(by: end))
        log(
            .notice,
            "shutting down: up to \(ledger.unrecorded) messages are out, \(settings.drainSeconds) s to finish"
        )
        for id in children.keys { drain(id) }
    }

    /// Whose files were replaced must not go on: another master may serve what has their names now.
    mutating func checkFiles(_ found: FileChange?, storeNames: Int) {
        if let found, change?.isOfStore != true, change != found {
            log(.critical, found.advice)
            change = found
            if found.isOfStore { leaveAtOnce() } else { shutDown() }
        }
        guard storeNames > 1 else { return }
        complain(
            """
            the store \(storePath) was given \(storeNames) names (hard links), and whoever opens it by another one \
            would damage it; remove all but one
            """)
    }

    /// Nothing that is said from now on can be recorded, so nothing more is to be sent.
    private mutating func leaveAtOnce() {
        write(.abandon)
        act(.endAll)
        children = [:]
        (endDeadline, drainDeadline) = (now, now)
    }
}
