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
        /// Another master is to take its place.
        var restarts: Bool
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
    /// - Parameter limit: less time than the settings give; of several orders the one that ends first counts.
    mutating func shutDown(withinSeconds limit: Int64?, restarts wanted: Bool = false) {
        // Whoever wants the end does not want another beginning.
        restarts = wanted && (endDeadline == nil || restarts)
        let seconds = max(min(limit ?? settings.drainSeconds, settings.drainSeconds), Self.lastWordsSeconds)
        let end = now.advanced(bySeconds: seconds)
        if let endDeadline, endDeadline <= end { return }
        if endDeadline == nil { act(.leave(restarts: wanted)) }
        (endDeadline, drainDeadline) = (end, end.advanced(bySeconds: -Self.lastWordsSeconds))
        write(.lastTry(by: end))
        log(.notice, "shutting down: up to \(ledger.unrecorded) messages are out, \(seconds) s to finish")
        for id in children.keys { drain(id) }
    }

    /// A master that has grown, or whose time has come, makes place for a fresh one.
    mutating func restartIfDue(_ surroundings: Surroundings) {
        guard endDeadline == nil else { return }
        let megabytes = Int(surroundings.residentKilobytes >> 10)
        if let due = settings.restartsAt, moment.wall >= due {
            log(.notice, "restarting: it is the time that mta/@processRestartTime says")
        } else if megabytes > settings.maximumMegabytes,
            now >= startedAt.advanced(bySeconds: Self.leastSecondsBetweenRestarts)
        {
            log(.warning, "restarting: the master uses \(megabytes) MB, over mta/@maxMemoryMb")
        } else {
            return
        }
        shutDown(withinSeconds: nil, restarts: true)
    }

    /// A setting that is too small must not keep the engine from its work.
    private static let leastSecondsBetweenRestarts: Int64 = 600

    /// The key itself is in memory: this process continues, and reports that the next one cannot begin.
    mutating func checkKey(_ trouble: String?) {
        guard trouble != keyTrouble?.why else { return }
        if let trouble {
            log(
                .critical,
                "\(trouble), before this process ends: it continues with the key that it has in memory")
        } else {
            log(.notice, "the instance key is in its place again")
        }
        keyTrouble = trouble.map { ($0, keyTrouble?.since ?? now) }
    }

    /// Whose files were replaced must not go on: another master may serve what has their names now.
    mutating func checkFiles(_ found: FileChange?, storeNames: Int) {
        if let found, change?.isOfStore != true, change != found {
            log(.critical, found.advice)
            change = found
            if found.isOfStore { leaveAtOnce() } else { shutDown(withinSeconds: nil) }
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
