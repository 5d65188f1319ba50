package import PushModel

/// The breaker of one account, which determines whether the account's messages may be granted.
///
/// A failure changes `working` to `waiting`. When the wait is over, `waiting` becomes `probing`, which lets a
/// single message through. If the gateway accepts that message, the account works again; a further failure
/// makes it wait twice as long. A `stopped` breaker waits for an operator. Nothing else makes a breaker work
/// again.
package struct AccountBreaker: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case working
        case waiting(until: MonotonicTime)
        /// One message is out as a probe.
        case probing
        /// Stopped until an operator resumes it. There are no probes, regardless of what is reported.
        case stopped
    }

    /// The kind of failure. It determines the delay before the first probe and the maximum delay.
    package enum Failure: Equatable, Sendable {
        /// No connection could be made. The cause is the gateway or the network, and the failure is often
        /// short.
        case unreachable
        /// The gateway refuses the account (credential, topic or project). An operator must fix it.
        case refused

        var firstDelaySeconds: Int64 { self == .unreachable ? 1 : 30 }
        var maxDelaySeconds: Int64 { self == .unreachable ? 60 : 900 }
    }

    package private(set) var state: State = .working
    /// The text that the operator sees while the account does not work.
    package private(set) var reason = ""
    /// The end of a pause that the gateway requested; `nil` if it requested none. Probes are also sent during
    /// the pause.
    private var pauseEnd: MonotonicTime?
    private var consecutiveFailures = 0
    private var connectBudget = ConnectBudget()

    package init() {}

    package var isWorking: Bool { state == .working }

    /// Returns how many messages may be granted now: all, one, or none.
    package func allowance(at now: MonotonicTime) -> Allowance {
        switch state {
        case .working: return .all
        case .waiting(let until):
            return now >= until ? .one : .none
        case .probing, .stopped: return .none
        }
    }

    package enum Allowance: Equatable, Sendable { case none, one, all }

    /// Records that the one message of an ``Allowance/one`` was granted.
    package mutating func probeStarted() {
        if case .waiting = state { state = .probing }
    }

    /// Records that the probe's message was not sent to the gateway, for example because it already had an
    /// outcome. The next probe may be sent immediately.
    package mutating func cancelProbe(at now: MonotonicTime) {
        if state == .probing { state = .waiting(until: now) }
    }

    /// Records that the probe ended without news about the account: its message had expired, its child died,
    /// or the gateway's answer concerned something else.
    package mutating func probeEnded(at now: MonotonicTime) {
        guard state == .probing else { return }
        // Probing again immediately would be an endless loop. During a pause, a probe is sent only every few
        // minutes.
        state = .waiting(until: nextProbe(at: now) ?? now.advanced(bySeconds: 1))
    }

    /// Records that the gateway accepted a message of this account, or judged one on its merits. Answers to
    /// messages that were out before the failure do not end the failure; only the probe's answer does.
    package mutating func proved() {
        switch state {
        case .waiting, .stopped: return
        case .working, .probing: break
        }
        state = .working
        reason = ""
        pauseEnd = nil
        consecutiveFailures = 0
    }

    /// The maximum pause of an account. The same maximum applies to each message that received the same
    /// answer.
    package static let maxPauseSeconds = Int64(Verdict.maxSharedDelaySeconds)
    /// During a pause that is longer than this interval, a single message is sent at this interval to check
    /// whether the pause is over.
    package static let pauseProbeSeconds: Int64 = 180

    /// Starts a pause that the gateway requested. It begins now, even if the account already waits, and does
    /// not count as a failure: afterwards the breaker is as it would have been without the pause. The pause
    /// lasts ``maxPauseSeconds`` at most, and a probe is sent every ``pauseProbeSeconds``, so that a request
    /// for an absurdly long pause costs only minutes.
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

    /// Returns the moment of the next probe during a pause; `nil` if no pause remains.
    private func nextProbe(at now: MonotonicTime) -> MonotonicTime? {
        guard let pauseEnd, now < pauseEnd else { return nil }
        return min(pauseEnd, now.advanced(bySeconds: Self.pauseProbeSeconds))
    }

    /// When the wait ends: at the end of a pause, otherwise at the next probe. `nil` if the breaker does not
    /// wait, or if the end of its wait is unknown.
    package var waitEnd: MonotonicTime? {
        switch state {
        case .working, .stopped: nil
        case .waiting(let until): max(pauseEnd ?? until, until)
        case .probing: pauseEnd
        }
    }

    /// Records a failure. `jitter` maps the computed delay in milliseconds to a similar delay.
    ///
    /// A failure that arrives while the account already waits is the same failure, reported by other messages
    /// of the same burst. It does not lengthen the wait.
    package mutating func met(
        _ failure: Failure, reason: String, at now: MonotonicTime, jitter: (Int64) -> Int64
    ) {
        switch state {
        case .waiting, .stopped: return
        case .working, .probing: break
        }
        let doubling = min(consecutiveFailures, 10)
        var seconds = min(failure.firstDelaySeconds << Int64(doubling), failure.maxDelaySeconds)
        if failure == .unreachable { seconds = max(seconds, connectBudget.spend(at: now)) }
        consecutiveFailures += 1
        pauseEnd = nil
        self.reason = reason
        state = .waiting(until: now.advanced(byMilliseconds: jitter(seconds * 1_000)))
    }

    /// Lets nothing through until ``resume()``.
    package mutating func stop(reason: String) {
        state = .stopped
        self.reason = reason
    }

    /// Resets the breaker after an operator has examined the account.
    package mutating func resume() {
        guard state == .stopped else { return }
        self = AccountBreaker()
    }

    /// Allows the next probe immediately. If this probe fails, its failure counts as the first. The failure
    /// of a probe that is already out also counts as the first, because that probe was sent before anything
    /// was changed.
    package mutating func repaired(at now: MonotonicTime) {
        switch state {
        case .working, .stopped: return
        case .waiting: state = .waiting(until: now)
        case .probing: break
        }
        pauseEnd = nil
        consecutiveFailures = 0
    }

    /// When the breaker is due for its next probe.
    package var nextMoment: MonotonicTime? {
        if case .waiting(let until) = state { until } else { nil }
    }
}
