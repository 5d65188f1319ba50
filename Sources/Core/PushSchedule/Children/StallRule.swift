package import PushModel

/// The stall rule: *work is due, and nothing was answered well for a minute* is never silent.
///
/// Each subject, an account or a part of the engine, is looked at every second. One that has had work for so
/// long without a good answer is stalled: told once, with a cause, and shown until an answer comes or nothing
/// is due any more. So is what is held back (by its breaker, a storm, a quota): that is the cause.
/// **Neighbours.** ``AccountBreaker`` for what is known to be wrong, ``StallCause`` for what is not; the
/// master's loop logs what this finds.
package struct StallRule<Subject: Hashable & Sendable>: Sendable {
    package enum Change: Equatable, Sendable { case began, ended }

    private struct Wait: Sendable {
        var since: MonotonicTime
        var isTold = false
    }
    /// Subjects that have work.
    private var waits: [Subject: Wait] = [:]

    package init() {}

    /// Those that had work when they were looked at last.
    package var subjects: some Collection<Subject> { waits.keys }

    /// Whether it had work when it was looked at last.
    package func watches(_ subject: Subject) -> Bool { waits[subject] != nil }

    package func isStalled(_ subject: Subject) -> Bool { waits[subject]?.isTold == true }

    /// Seconds since the last good answer, or since there has been work.
    package func secondsWaited(_ subject: Subject, at now: MonotonicTime) -> Int64 {
        waits[subject].map { now.milliseconds(since: $0.since) / 1_000 } ?? 0
    }

    /// Work came to something. - Returns: whether the subject had been told to be stalled.
    package mutating func answered(_ subject: Subject, at now: MonotonicTime) -> Bool {
        guard let told = waits[subject]?.isTold else { return false }
        waits[subject] = Wait(since: now)
        return told
    }

    /// - Parameters:
    ///   - isDue: there is work.
    ///   - patienceSeconds: what confirms by silence needs more than ``StallCause/patienceSeconds``.
    package mutating func look(
        at subject: Subject, isDue: Bool, patienceSeconds: Int64 = StallCause.patienceSeconds,
        now: MonotonicTime
    ) -> Change? {
        guard isDue else { return waits.removeValue(forKey: subject)?.isTold == true ? .ended : nil }
        guard let wait = waits[subject] else {
            waits[subject] = Wait(since: now)
            return nil
        }
        guard !wait.isTold, now >= wait.since.advanced(bySeconds: patienceSeconds) else { return nil }
        waits[subject]?.isTold = true
        return .began
    }

    /// Nothing will be heard of it again.
    package mutating func forget(_ subject: Subject) { waits[subject] = nil }
}

/// Why nothing comes of an account's work, as far as the master can see: the first that applies.
package enum StallCause: Equatable, Sendable, CustomStringConvertible {
    /// How long work may be due without a good answer before that is told.
    package static let patienceSeconds: Int64 = 60

    /// The store takes or gives nothing.
    case store(String)
    /// What the master holds back, and why.
    case held(Hold)
    /// No child process works; why the last one could not be started, where that is known.
    case noChild(String)
    /// Messages were granted, and wait to be read from the store.
    case notRead
    /// No child has capacity for it: other accounts' messages fill them all.
    case noCapacity
    /// Messages are with children that have no connection.
    case noConnection
    /// Requests are with the gateway, which answers nothing.
    case noAnswer(requests: Int)
    /// Answers came, and none was good: the latest.
    case onlyTroubles(String)

    package enum Hold: Equatable, Sendable {
        /// Until a person decides.
        case stopped(String)
        /// Its breaker waits, or has a single message out.
        case waiting(String)
        /// More than the quota allows is due.
        case quota(perMinute: Int)
    }

    /// What is to be seen of an account that is stalled.
    package struct Sight: Equatable, Sendable {
        /// nil: none.
        package var storeTrouble: String?
        /// nil: nothing is held back.
        package var hold: Hold?
        package var workingChildren = 0
        package var childTrouble = ""
        /// Messages granted and not yet committed; those of them that children have with the gateway.
        package var outstanding = 0
        package var inFlight = 0
        /// Whether a child that has been given messages of the account lives.
        package var isServed = false
        /// What went wrong since the last good answer, the latest; nil: nothing.
        package var lastTrouble: String?
        package init() {}
    }

    package init(_ sight: Sight) {
        if let trouble = sight.storeTrouble {
            self = .store(trouble)
        } else if let hold = sight.hold {
            self = .held(hold)
        } else if sight.workingChildren == 0 {
            self = .noChild(sight.childTrouble)
        } else if let trouble = sight.lastTrouble {
            self = .onlyTroubles(trouble)
        } else if sight.outstanding == 0 {
            self = .noCapacity
        } else if sight.inFlight > 0 {
            self = .noAnswer(requests: sight.inFlight)
        } else if !sight.isServed {
            self = .notRead
        } else {
            self = .noConnection
        }
    }

    package var description: String {
        switch self {
        case .store(let trouble): "the store is in trouble: \(trouble)"
        case .held(.stopped(let why)): "it is stopped until an operator decides: \(why)"
        case .held(.waiting(let why)): "it waits: \(why)"
        case .held(.quota(let perMinute)): "its quota allows \(perMinute) messages a minute, and more are due"
        case .noChild(let why): "no child process works" + (why.isEmpty ? "" : ": \(why)")
        case .notRead: "its messages wait to be read from the store"
        case .noCapacity: "no child has capacity for it"
        case .noConnection: "no connection to its gateway is open, and none fails either"
        case .noAnswer(let requests): "its gateway has \(requests) requests and answers none"
        case .onlyTroubles(let latest): "its gateway gives no good answer, the last trouble: \(latest)"
        }
    }
}
