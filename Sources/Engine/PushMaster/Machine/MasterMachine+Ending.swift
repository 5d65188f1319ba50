internal import Logging
package import PushModel
internal import PushSchedule
internal import PushStore

/// The end of a master, either by order or because its files are no longer the files that it opened.
extension MasterMachine {
    struct End: Sendable {
        /// The deadline for the whole shutdown.
        var deadline: MonotonicTime
        /// The change to the files; `nil` if the master was ordered to end.
        var change: FileChange?
        /// Whether another master is to replace this one.
        var restarts: Bool
    }

    /// The part of the shutdown time that is reserved for the writer after the last child has been killed.
    private static let lastWordsSeconds: Int64 = 2

    package enum ShutdownState: Sendable { case notYet, orderly, withoutLastOutcomes }

    /// Reports whether the master may end: either all children have ended, or the deadline has passed, which
    /// means that the last outcomes cannot be written to the store. In the second case, waiting longer would
    /// not help: messages whose outcomes are not recorded are sent again.
    package func ending(at now: MonotonicTime) -> ShutdownState {
        guard let endDeadline else { return .notYet }
        if children.isEmpty { return .orderly }
        return now > endDeadline ? .withoutLastOutcomes : .notYet
    }

    /// Starts the shutdown with one deadline for all children and the writer: children finish their messages,
    /// and the writer records the outcomes. Anything unfinished at the deadline is abandoned.
    /// - Parameter limit: A time limit that is shorter than the limit in the settings. If there are several
    ///   orders, the earliest deadline counts.
    mutating func shutDown(withinSeconds limit: Int64?, restarts wanted: Bool = false) {
        // An order to end without a restart overrides an order to restart.
        restarts = wanted && (endDeadline == nil || restarts)
        let seconds = max(min(limit ?? settings.drainSeconds, settings.drainSeconds), Self.lastWordsSeconds)
        let end = now.advanced(bySeconds: seconds)
        if let endDeadline, endDeadline <= end { return }
        if endDeadline == nil { act(.leave(restarts: wanted)) }
        (endDeadline, drainDeadline) = (end, end.advanced(bySeconds: -Self.lastWordsSeconds))
        write(.lastTry(by: end))
        log(
            .notice,
            "shutting down: up to \(ledger.unrecorded) messages are in flight, \(seconds) s to finish")
        for id in children.keys { drain(id) }
    }

    /// Restarts the master if it has grown too large or if the configured time has come, so that a new
    /// process can replace it.
    mutating func restartIfDue(_ facts: PeriodicFacts) {
        guard endDeadline == nil else { return }
        let megabytes = Int(facts.residentKilobytes >> 10)
        if let due = settings.restartsAt, moment.wall >= due {
            log(.notice, "restarting: the time set in mta/@processRestartTime has come")
        } else if megabytes > settings.maximumMegabytes,
            now >= startedAt.advanced(bySeconds: Self.minSecondsBetweenRestarts)
        {
            log(
                .warning,
                """
                restarting: the master uses \(megabytes) MB, more than mta/@maxMemoryMb; raise the setting \
                if this repeats
                """)
        } else {
            return
        }
        shutDown(withinSeconds: nil, restarts: true)
    }

    /// The minimum time between two restarts because of memory. Without it, a memory limit that is too low
    /// would keep the engine from its work.
    private static let minSecondsBetweenRestarts: Int64 = 600

    /// Reports trouble with the key file. The key itself is in memory, so this process continues. It warns
    /// that the next process will not be able to start.
    mutating func checkKey(_ failure: String?) {
        guard failure != keyFailure?.why else { return }
        if let failure {
            log(.critical, "\(failure); \(Self.keyDeadline)")
        } else {
            log(.notice, "the instance key is in place again")
        }
        keyFailure = failure.map { ($0, keyFailure?.since ?? now) }
    }

    /// Ends the master if its files were replaced, because another master may be serving the files that now
    /// have these names.
    mutating func checkFiles(_ found: FileChange?, storeNames: Int) {
        if let found, change?.isOfStore != true, change != found {
            log(.critical, found.advice)
            change = found
            if found.isOfStore { leaveAtOnce() } else { shutDown(withinSeconds: nil) }
        }
        guard storeNames > 1 else { return }
        complain(
            """
            the store \(storePath) has \(storeNames) hard links, and a process that opens it \
            through another hard link would damage it; remove all hard links but one
            """)
    }

    /// Ends the master immediately. From now on nothing can be recorded, so nothing more may be sent.
    private mutating func leaveAtOnce() {
        write(.abandon)
        act(.endAll)
        children = [:]
        (endDeadline, drainDeadline) = (now, now)
    }
}
