package import PushModel

/// The log of every attempt at a message, for operators who enable it (`mta/@deliveryLog`).
package protocol AttemptLog: Sendable {
    /// Called when the outcomes are committed, on a thread that must not wait.
    func append(_ groups: [AttemptGroup])
}

/// Attempts with the same result to send messages from one delivery to one app. A group contains no token,
/// payload or secret.
package struct AttemptGroup: Equatable, Sendable {
    package enum Outcome: String, Sendable {
        case sent, failed, retrying, excluded, cancelled
    }

    package var delivery: DeliveryID
    package var app: String
    /// The name of the account as `status` shows it.
    package var account: String
    package var outcome: Outcome
    /// The gateway's reason code, or the engine's own reason if the gateway did not state one; empty if there
    /// is neither.
    package var reason: String
    package var messages: [MessageID]
    /// The number of attempts at each message, including this attempt: either one number per message, or one
    /// number for all messages. An element is `nil` if the number is unknown, for example if a child already
    /// had the message when the log was enabled.
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
