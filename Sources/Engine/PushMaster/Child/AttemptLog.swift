package import PushModel

/// Who writes down every attempt at a message, where an operator wants that (`mta/@deliveryLog`).
package protocol AttemptLog: Sendable {
    /// Called when their outcomes are committed, on a thread that must not wait.
    func append(_ groups: [AttemptGroup])
}

/// Attempts at messages of one delivery to one app, that ended alike. No token, no payload, no secret.
package struct AttemptGroup: Equatable, Sendable {
    package enum Outcome: String, Sendable {
        case sent, failed, retrying, excluded, cancelled
    }

    package var delivery: DeliveryID
    package var app: String
    /// As `status` names it.
    package var account: String
    package var outcome: Outcome
    /// The gateway's word, or ours where it has none; empty where there is nothing to say.
    package var reason: String
    package var messages: [MessageID]
    /// Of each message, this one included; nil: not known, as of what was with a child already when the log
    /// was switched on. As many as there are messages, or one for all.
    package var attempts: [Int?]

    package init(
        delivery: DeliveryID, app: String, account: String, outcome: Outcome, reason: String = "",
        messages: [MessageID], attempts: [Int?]
    ) {
        self.delivery = delivery
        self.app = app
        self.account = account
        self.outcome = outcome
        self.reason = reason
        self.messages = messages
        self.attempts = attempts
    }
}
