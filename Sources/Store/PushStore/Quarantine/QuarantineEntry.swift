package import PushModel

/// What a subscription's errors have led to. Raw values 1 and 2 are those of `subscription.disabled` too.
package enum QuarantineState: Int64, Sendable, CaseIterable {
    /// The gateway's feedback says that the app was removed from the device.
    case disabled = 1
    /// Its token's errors were enough.
    case quarantined = 2
    /// Valid, with errors that count.
    case counting = 3
}

/// Where the last word about a token came from. A store of an earlier version has the first two only.
package enum QuarantineSource: Int64, Sendable, CaseIterable {
    /// An answer to a message.
    case answer = 1
    /// The feedback service.
    case feedback = 2
    /// An operator.
    case byHand = 3

    /// As operators, webhooks and the API know it.
    package var name: String {
        switch self {
        case .answer: "answer"
        case .feedback: "feedback"
        case .byHand: "operator"
        }
    }
}

/// A subscription with errors, for operators.
package struct QuarantineEntry: Equatable, Sendable {
    package var subscription: SubscriptionID
    package var token: String
    package var userKey: String
    package var state: QuarantineState
    /// Errors that counted.
    package var errors: Int
    package var lastError: WallTime
    /// When the state began.
    package var since: WallTime
    package var source: QuarantineSource
    /// The gateway's last word.
    package var reason: String
    /// The delivery whose message got it; nil where none did.
    package var delivery: DeliveryID?

    package var app: AppID { SubscriptionRange.app(of: subscription.rawValue) }

    package init(
        subscription: SubscriptionID, token: String, userKey: String, state: QuarantineState, errors: Int,
        lastError: WallTime, since: WallTime, source: QuarantineSource, reason: String, delivery: DeliveryID?
    ) {
        self.subscription = subscription
        self.token = token
        self.userKey = userKey
        self.state = state
        self.errors = errors
        self.lastError = lastError
        self.since = since
        self.source = source
        self.reason = reason
        self.delivery = delivery
    }
}

/// How many subscriptions of an app are in each state.
package struct QuarantineCounts: Equatable, Sendable {
    package var disabled = 0
    package var quarantined = 0
    package var counting = 0
    package init() {}

    mutating func add(_ state: QuarantineState) {
        switch state {
        case .disabled: disabled += 1
        case .quarantined: quarantined += 1
        case .counting: counting += 1
        }
    }
}
