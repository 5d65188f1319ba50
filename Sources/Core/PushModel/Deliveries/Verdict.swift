/// What an answer of a gateway, or its absence, means: about whom, and what happens to the message. One row
/// of a gateway's table, without the gateway's words.
package struct Verdict: Equatable, Sendable {
    /// The narrowest thing that the answer is certainly about. Everything else of the account continues.
    package enum Scope: UInt8, Sendable, CaseIterable {
        case token, message
        /// What the gateway calls the app: APNs' bundle id with the suffix of the push type.
        case topic
        case account
        /// The gateway's or the network's own trouble.
        case transient
    }

    /// When this message goes again.
    package enum Schedule: UInt8, Sendable, CaseIterable {
        /// Never: the answer is final.
        case none
        /// At once, on another connection or after a credential was renewed.
        case now
        /// With exponential back-off from ``minimumDelaySeconds``.
        case soon
        /// On the retry calendar.
        case calendar
        /// When the account works again.
        case hold
    }

    /// What the answer does to a token, once it is believed.
    package enum Quarantine: UInt8, Sendable, CaseIterable {
        case no, byCounter, yes
    }

    package var scope: Scope
    package var schedule: Schedule
    package var minimumDelaySeconds: Int32
    /// 0: bounded by validity alone.
    package var maximumTries: Int32
    /// False where the message was not judged: credentials, connection, a stream that was not processed.
    package var countsAttempt: Bool
    package var failureType: FailureType
    package var failureReason: FailureReason
    package var quarantine: Quarantine
    /// Since when the token is dead, where the gateway says so: a device that registered later is alive.
    package var tokenDeadSince: WallMoment?
    /// The same answer to a message for another token shows that it is about more than the message: its topic, or
    /// the account. Only the child uses this; it does not travel.
    package var mayWiden: Bool

    /// The longest delay that an answer may ask for, unless it is certainly about one device alone: what others share,
    /// such as a project's or a gateway's trouble, may not hold messages longer. The number comes from outside, perhaps
    /// from a proxy's maintenance page: beyond an hour it says more about a mistake than about the gateway.
    package static let maxSharedDelaySeconds: Int32 = 3_600

    package init(
        scope: Scope, schedule: Schedule, minimumDelaySeconds: Int32 = 0, maximumTries: Int32 = 0,
        countsAttempt: Bool, failureType: FailureType, failureReason: FailureReason, quarantine: Quarantine,
        mayWiden: Bool = false
    ) {
        self.scope = scope
        self.schedule = schedule
        self.minimumDelaySeconds = minimumDelaySeconds
        self.maximumTries = maximumTries
        self.countsAttempt = countsAttempt
        self.failureType = failureType
        self.failureReason = failureReason
        self.quarantine = quarantine
        self.mayWiden = mayWiden
    }
}
