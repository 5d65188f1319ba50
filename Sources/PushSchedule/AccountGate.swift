package import PushModel

/// Whether an account's messages may be granted: the breaker of one account.
///
/// Law: `open` closes on trouble; a `closed` gate becomes `probing` when its time is over and lets a single message
/// through; that message's acceptance opens the gate, trouble closes it for twice as long. Nothing else opens it.
package struct AccountGate: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case open
        case closed(until: MonotonicTime)
        /// One message is out to find out.
        case probing
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

    package private(set) var state: State = .open
    /// What the operator reads while the gate is not open.
    package private(set) var reason = ""
    private var consecutiveTroubles = 0

    package init() {}

    package var isOpen: Bool { state == .open }

    /// Messages that may be granted now: everything, one, or none.
    package func allowance(at now: MonotonicTime) -> Allowance {
        switch state {
        case .open: return .all
        case .closed(let until):
            return now >= until ? .one : .none
        case .probing: return .none
        }
    }

    package enum Allowance: Equatable, Sendable { case none, one, all }

    /// The one message of an ``Allowance/one`` was granted.
    package mutating func probeStarted() {
        if case .closed = state { state = .probing }
    }

    /// The probe's message had its outcome already: nobody was asked, so the next may go at once.
    package mutating func probeAskedNobody(at now: MonotonicTime) {
        if state == .probing { state = .closed(until: now) }
    }

    /// The probe ended without news about the account: its message was expired, or its child died.
    package mutating func probeEnded(at now: MonotonicTime) {
        // Nothing was learnt, and asking again at once would be a circle.
        if state == .probing { state = .closed(until: now.advanced(bySeconds: 1)) }
    }

    /// The gateway accepted a message of this account, or judged one on its merits. Answers to messages that were
    /// out before the gate closed do not open it: only the probe's does.
    package mutating func proved() {
        if case .closed = state { return }
        state = .open
        reason = ""
        consecutiveTroubles = 0
    }

    /// The gateway asked for a pause of so many seconds. It is obeyed from now on, also while the gate is closed, and is
    /// no trouble: afterwards the gate is as it would have been.
    package mutating func pause(seconds: Int64, reason: String, at now: MonotonicTime) {
        let until = now.advanced(bySeconds: seconds)
        if case .closed(let present) = state, present >= until { return }
        self.reason = reason
        state = .closed(until: until)
    }

    /// `jitter` maps the computed delay in milliseconds to one near it.
    ///
    /// Trouble that arrives while the gate is already closed is the same trouble, told by other messages of the same
    /// burst: it does not lengthen the wait.
    package mutating func met(
        _ trouble: Trouble, reason: String, at now: MonotonicTime, jitter: (Int64) -> Int64
    ) {
        if case .closed = state { return }
        let doubling = min(consecutiveTroubles, 10)
        let seconds = min(trouble.firstDelaySeconds << Int64(doubling), trouble.longestDelaySeconds)
        consecutiveTroubles += 1
        self.reason = reason
        state = .closed(until: now.advanced(byMilliseconds: jitter(seconds * 1_000)))
    }

    /// When the gate wants to be asked again.
    package var nextMoment: MonotonicTime? {
        if case .closed(let until) = state { until } else { nil }
    }
}
