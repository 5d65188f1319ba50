package import PushModel

/// The stall rule: if *work is due and no good answer has arrived for a minute*, the operator is informed.
///
/// Each subject, an account or a part of the engine, is examined every second. A subject that has had work
/// for this duration without a good answer is stalled. The stall is reported once, with a cause, and shown
/// until an answer arrives or nothing is due any longer. The rule also applies to work that is held back (by
/// a breaker, a storm or a quota). In that case, the hold is the cause.
/// **Neighbours.** ``AccountBreaker`` for known problems, ``StallCause`` for unknown ones; the master's loop
/// logs the results of this rule.
package struct StallRule<Subject: Hashable & Sendable>: Sendable {
    package enum Change: Equatable, Sendable { case began, ended }

    private struct Wait: Sendable {
        var since: MonotonicTime
        var isReported = false
    }
    /// The subjects that have work.
    private var waits: [Subject: Wait] = [:]

    package init() {}

    /// The subjects that had work at the last examination.
    package var subjects: some Collection<Subject> { waits.keys }

    /// Reports whether the subject had work at the last examination.
    package func watches(_ subject: Subject) -> Bool { waits[subject] != nil }

    package func isStalled(_ subject: Subject) -> Bool { waits[subject]?.isReported == true }

    /// Returns the seconds since the last good answer, or since work became due if that is later.
    package func secondsWaited(_ subject: Subject, at now: MonotonicTime) -> Int64 {
        waits[subject].map { now.milliseconds(since: $0.since) / 1_000 } ?? 0
    }

    /// Records a good answer for the subject.
    /// - Returns: Whether the subject had been reported as stalled.
    package mutating func answered(_ subject: Subject, at now: MonotonicTime) -> Bool {
        guard let told = waits[subject]?.isReported else { return false }
        waits[subject] = Wait(since: now)
        return told
    }

    /// - Parameters:
    ///   - isDue: Whether there is work.
    ///   - patienceSeconds: The time to wait for a good answer. A gateway that confirms by silence needs more
    ///     than ``StallCause/patienceSeconds``.
    package mutating func look(
        at subject: Subject, isDue: Bool, patienceSeconds: Int64 = StallCause.patienceSeconds,
        now: MonotonicTime
    ) -> Change? {
        guard isDue else { return waits.removeValue(forKey: subject)?.isReported == true ? .ended : nil }
        guard let wait = waits[subject] else {
            waits[subject] = Wait(since: now)
            return nil
        }
        guard !wait.isReported, now >= wait.since.advanced(bySeconds: patienceSeconds) else { return nil }
        waits[subject]?.isReported = true
        return .began
    }

    /// Forgets the subject. No further event about it follows.
    package mutating func forget(_ subject: Subject) { waits[subject] = nil }
}

/// The reason why an account's work makes no progress, as far as the master can see: the first of these
/// causes that applies.
package enum StallCause: Equatable, Sendable, CustomStringConvertible {
    /// How long work may be due without a good answer before this is reported, in seconds.
    package static let patienceSeconds: Int64 = 60

    /// The store accepts no writes or returns no data.
    case store(String)
    /// The master holds the work back, for the given reason.
    case held(Hold)
    /// No child process is working. The text is the reason why the last one could not be started, if it is
    /// known.
    case noChild(String)
    /// Messages are granted and wait to be read from the store.
    case notRead
    /// No child has capacity for the account: messages of other accounts fill all children.
    case noCapacity
    /// Children have messages but no connection.
    case noConnection
    /// The gateway has requests but answers none of them.
    case noAnswer(requests: Int)
    /// Answers arrived, but none was good. The text is the latest one.
    case onlyFailures(String)

    package enum Hold: Equatable, Sendable {
        /// Held until an operator decides.
        case stopped(String)
        /// The breaker is waiting, or has let a single message through.
        case waiting(String)
        /// More messages are due than the quota allows.
        case quota(perMinute: Int)
    }

    /// The observable facts about a stalled account.
    package struct Snapshot: Equatable, Sendable {
        /// The store's failure; `nil` if there is none.
        package var storeFailure: String?
        /// The hold; `nil` if nothing is held back.
        package var hold: Hold?
        package var workingChildren = 0
        package var childFailure = ""
        /// The number of messages that are granted and not yet committed (`outstanding`), and the number of
        /// these that children have sent to the gateway and that are not answered yet (`inFlight`).
        package var outstanding = 0
        package var inFlight = 0
        /// Whether a child that received messages of the account is alive.
        package var isServed = false
        /// The latest failure since the last good answer; `nil` if there was none.
        package var lastFailure: String?
        package init() {}
    }

    package init(_ snapshot: Snapshot) {
        if let failure = snapshot.storeFailure {
            self = .store(failure)
        } else if let hold = snapshot.hold {
            self = .held(hold)
        } else if snapshot.workingChildren == 0 {
            self = .noChild(snapshot.childFailure)
        } else if let failure = snapshot.lastFailure {
            self = .onlyFailures(failure)
        } else if snapshot.outstanding == 0 {
            self = .noCapacity
        } else if snapshot.inFlight > 0 {
            self = .noAnswer(requests: snapshot.inFlight)
        } else if !snapshot.isServed {
            self = .notRead
        } else {
            self = .noConnection
        }
    }

    package var description: String {
        switch self {
        case .store(let failure): "the store has a problem: \(failure)"
        case .held(.stopped(let why)): "it is stopped until an operator decides: \(why)"
        case .held(.waiting(let why)): "it waits, and is tried again at intervals: \(why)"
        case .held(.quota(let perMinute)):
            """
            its quota allows \(perMinute) messages a minute, and more are due; they are sent at that rate, \
            unless you raise the quota
            """
        case .noChild(let why):
            "no child process is working" + (why.isEmpty ? "" : ": \(why)")
                + "; the master starts children again by itself; check its log"
        case .notRead:
            "its messages are waiting to be read from the store; check the store's disk or server"
        case .noCapacity:
            """
            no child has capacity for it; wait until other accounts need less, or raise \
            mta/master/@maxSpareServers or mta/child/@maxWaitingMessages
            """
        case .noConnection:
            """
            no connection to its gateway is open, and no attempt fails; check the network, the proxy and \
            the firewall
            """
        case .noAnswer(let requests):
            """
            its gateway has \(requests) requests and does not answer them; they are tried again after \
            their time limit; check the status of the gateway
            """
        case .onlyFailures(let latest):
            """
            its gateway gives no valid answer, and its messages are tried again; the last problem: \
            \(latest)
            """
        }
    }
}
