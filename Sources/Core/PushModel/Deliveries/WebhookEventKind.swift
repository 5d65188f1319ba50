/// The kinds of events that webhooks can receive. Raw values are stored in columns.
package enum WebhookEventKind: Int64, CaseIterable, Sendable {
    /// A gateway accepted the message.
    case sent = 1
    /// The message failed, and there are no more attempts.
    case failed = 2
    /// A device is excluded from deliveries because the gateway reported the device's token as dead.
    case quarantined = 3
    /// A device reported that it received the message.
    case received = 4
    /// A device reported that the message was opened.
    case clicked = 5
    /// A device registered that was not known, or with another token or user key.
    case registered = 6
    /// A device ended its registration.
    case unregistered = 7
    /// A person opted out of messages on a device, or an operator recorded this.
    case optedOut = 8
    /// The message is not sent to its device.
    case excluded = 9
    /// The validity of the message ended before the first attempt.
    case expired = 10
    /// The message was cancelled before it was sent.
    case cancelled = 11

    package var name: String {
        switch self {
        case .sent: "sent"
        case .failed: "failed"
        case .quarantined: "quarantined"
        case .received: "received"
        case .clicked: "clicked"
        case .registered: "registered"
        case .unregistered: "unregistered"
        case .optedOut: "optedOut"
        case .excluded: "excluded"
        case .expired: "expired"
        case .cancelled: "cancelled"
        }
    }

    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    package init(_ kind: HitKind) {
        switch kind {
        case .received: self = .received
        case .clicked: self = .clicked
        }
    }
}

/// A set of event kinds, one bit each.
package struct WebhookEventKinds: OptionSet, Hashable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package init(_ kinds: some Sequence<WebhookEventKind>) {
        self.init(rawValue: kinds.reduce(0) { $0 | 1 << $1.rawValue })
    }

    package func contains(_ kind: WebhookEventKind) -> Bool { rawValue & 1 << kind.rawValue != 0 }
    package func contains(anyOf kinds: WebhookEventKinds) -> Bool { !isDisjoint(with: kinds) }
    package var all: [WebhookEventKind] { WebhookEventKind.allCases.filter(contains) }
}
