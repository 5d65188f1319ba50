package import PushModel

/// The result of a subscription's errors. The raw values 1 and 2 are also those of `subscription.disabled`,
/// which has a further value for subscriptions whose user has opted out (``OptOuts``).
package enum QuarantineState: Int64, Sendable, CaseIterable {
    /// The gateway's feedback reports that the app was removed from the device.
    case disabled = 1
    /// The token reached the error limit.
    case quarantined = 2
    /// The subscription is valid but has errors that count.
    case counting = 3
}

/// The source of the latest information about a token. A store of an earlier version contains only the first
/// two sources.
package enum QuarantineSource: Int64, Sendable, CaseIterable {
    /// An answer to a message.
    case answer = 1
    /// The feedback service.
    case feedback = 2
    /// An operator.
    case byHand = 3

    /// The name used for operators, webhooks and the API.
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
    /// The number of errors that counted.
    package var errors: Int
    package var lastError: WallTime
    /// The time at which the state began.
    package var since: WallTime
    package var source: QuarantineSource
    /// The gateway's latest reason code.
    package var reason: String
    /// The delivery whose message received that reason code; `nil` if there is none.
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

/// The number of an app's subscriptions in each state.
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
