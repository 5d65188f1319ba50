package import PushModel

/// Whether an account's messages may be granted: the breaker of one account.
///
/// Law: trouble makes `working` into `waiting`, which becomes `probing` when its time is over and lets a
/// single message through; that message's acceptance makes it work again, trouble makes it wait for twice as
/// long. A `stopped` breaker waits for a person. Nothing else ends either.
package struct AccountBreaker: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case working
        case waiting(until: MonotonicTime)
        /// One message is out to find out.
        case probing
        /// Until an operator says otherwise: no probe, whatever is heard.
        case stopped
    }

    /// What kind of trouble decides how long to wait before the first probe and at most.
    package enum Trouble: Equatable, Sendable {
        /// No connection could be made: the gateway's or the network's trouble, often short.
        case unreachable
        /// The gateway refuses the account: credential, topic, project. A person must mend it.
        case refused

        var firstDelaySeconds: Int64 { self == .unreachable ? 1 : 30 }
        var longestDelaySeconds: Int64 { self == .unreachable ? 60 : 900 }
    }

    package private(set) var state: State = .working
    /// What the operator reads while the account does not work.
    package private(set) var reason = ""
    /// The end of a pause that the gateway asked for; nil if it asked for none. Probes go out before it.
    private var pauseEnd: MonotonicTime?
    private var consecutiveTroubles = 0
    private var connectBudget = ConnectBudget()

    package init() {}

    package var isWorking: Bool { state == .working }

    /// Messages that may be granted now: everything, one, or none.
    package func allowance(at now: MonotonicTime) -> Allowance {
        switch state {
        case .working: return .all
        case .waiting(let until):
            return now >= until ? .one : .none
        case .probing, .stopped: return .none
        }
    }

    package enum Allowance: Equatable, Sendable { case none, one, all }

    /// The one message of an ``Allowance/one`` was granted.
    package mutating func probeStarted() {
        if case .waiting = state { state = .probing }
    }

    /// The probe's message had its outcome already: nobody was asked, so the next may go at once.
    package mutating func probeAskedNobody(at now: MonotonicTime) {
        if state == .probing { state = .waiting(until: now) }
    }

    /// The probe ended without news about the account: its message was expired, or its child died, or the
    /// gateway's answer was about neither.
    package mutating func probeEnded(at now: MonotonicTime) {
        guard state == .probing else { return }
        // To ask again at once would be a circle. In a pause, a probe goes out every few minutes only.
        state = .waiting(until: nextProbe(at: now) ?? now.advanced(bySeconds: 1))
    }

    /// The gateway accepted a message of this account, or judged one on its merits. Answers to messages that
    /// were out before the trouble do not end it: only the probe's does.
    package mutating func proved() {
        switch state {
        case .waiting, .stopped: return
        case .working, .probing: break
        }
        state = .working
        reason = ""
        pauseEnd = nil
        consecutiveTroubles = 0
    }

    /// The longest pause of an account, as of each message that got the same answer.
    package static let maxPauseSeconds = Int64(Verdict.maxSharedDelaySeconds)
    /// In a longer pause, a single message asks this often whether it is over.
    package static let pauseProbeSeconds: Int64 = 180

    /// The gateway asked for a pause. It begins now, also if the account waits already, and is no trouble:
    /// afterwards the breaker is as it would have been. It lasts ``maxPauseSeconds`` at most, and a probe goes
    /// out every ``pauseProbeSeconds``, so that an absurd number costs minutes.
    package mutating func pause(seconds: Int64, reason: String, at now: MonotonicTime) {
        let end = now.advanced(bySeconds: min(max(seconds, 0), Self.maxPauseSeconds))
        switch state {
        case .stopped: return
        case .waiting(let present) where max(present, pauseEnd ?? present) >= end: return
        case .working, .probing, .waiting: break
        }
        self.reason = reason
        pauseEnd = end
        state = .waiting(until: nextProbe(at: now) ?? end)
    }

    /// nil: no pause is left.
    private func nextProbe(at now: MonotonicTime) -> MonotonicTime? {
        guard let pauseEnd, now < pauseEnd else { return nil }
        return min(pauseEnd, now.advanced(bySeconds: Self.pauseProbeSeconds))
    }

    /// When the wait ends: the end of a pause, else the next probe. nil if the breaker waits for no moment.
    package var waitEnd: MonotonicTime? {
        switch state {
        case .working, .stopped: nil
        case .waiting(let until): max(pauseEnd ?? until, until)
        case .probing: pauseEnd
        }
    }

    /// `jitter` maps the computed delay in milliseconds to one near it.
    ///
    /// Trouble that arrives while the account already waits is the same trouble, told by other messages
    /// of the same burst: it does not lengthen the wait.
    package mutating func met(
        _ trouble: Trouble, reason: String, at now: MonotonicTime, jitter: (Int64) -> Int64
    ) {
        switch state {
        case .waiting, .stopped: return
        case .working, .probing: break
        }
        let doubling = min(consecutiveTroubles, 10)
        var seconds = min(trouble.firstDelaySeconds << Int64(doubling), trouble.longestDelaySeconds)
        if trouble == .unreachable { seconds = max(seconds, connectBudget.spend(at: now)) }
        consecutiveTroubles += 1
        pauseEnd = nil
        self.reason = reason
        state = .waiting(until: now.advanced(byMilliseconds: jitter(seconds * 1_000)))
    }

    /// Nothing goes through until ``resume()``.
    package mutating func stop(reason: String) {
        state = .stopped
        self.reason = reason
    }

    /// An operator has looked at it: as new.
    package mutating func resume() {
        guard state == .stopped else { return }
        self = AccountBreaker()
    }

    /// The next probe may go at once, and its failure counts as the first; so does that of the one that is
    /// out, which left before anything was changed.
    package mutating func mended(at now: MonotonicTime) {
        switch state {
        case .working, .stopped: return
        case .waiting: state = .waiting(until: now)
        case .probing: break
        }
        pauseEnd = nil
        consecutiveTroubles = 0
    }

    /// When the breaker wants to be asked again.
    package var nextMoment: MonotonicTime? {
        if case .waiting(let until) = state { until } else { nil }
    }
}
