/// The meaning of a gateway's answer, or of a missing answer: what the answer is about, and what happens to
/// the message. A verdict is one row of a gateway's table, without the gateway's reason codes.
package struct Verdict: Equatable, Sendable {
    /// The narrowest thing that the answer is certainly about. Everything else in the account continues.
    package enum Scope: UInt8, Sendable, CaseIterable {
        case token, message
        /// The gateway's name for the app: for APNs, the bundle id with the suffix of the push type.
        case topic
        case account
        /// A problem of the gateway or the network.
        case transient
    }

    /// When the message is sent again.
    package enum Schedule: UInt8, Sendable, CaseIterable {
        /// Never: the answer is final.
        case none
        /// Immediately, on another connection or after the credential was renewed.
        case now
        /// The message is sent again with exponential back-off from ``minimumDelaySeconds``.
        case soon
        /// On the retry calendar.
        case calendar
        /// When the account works again.
        case hold
    }

    /// The effect of the answer on a token, once the answer is believed.
    package enum Quarantine: UInt8, Sendable, CaseIterable {
        case no, byCounter, yes
    }

    package var scope: Scope
    package var schedule: Schedule
    package var minimumDelaySeconds: Int32
    /// The maximum number of tries. 0 means that only the validity limits the tries.
    package var maximumTries: Int32
    /// Whether the attempt counts. It does not count if the gateway did not judge the message: there was a
    /// problem with the credentials or the connection, or the gateway did not process the stream.
    package var countsAttempt: Bool
    package var failureType: FailureType
    package var failureReason: FailureReason
    package var quarantine: Quarantine
    /// The time since which the token has been dead, if the gateway reports it. A device that registered
    /// later is alive.
    package var tokenDeadSince: WallMoment?
    /// Whether the same answer to a message for another token shows that the answer is not about the message
    /// but about its topic or account. Only the child uses this value; it is not transferred to the master.
    package var mayWiden: Bool

    /// The maximum delay that an answer may request, in seconds, unless the answer is certainly about one
    /// device alone. Problems that messages share, such as those of a project or a gateway, must not delay
    /// messages longer. The requested delay comes from outside, perhaps from a proxy's maintenance page. If
    /// it exceeds an hour, it indicates a mistake rather than the state of the gateway.
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
