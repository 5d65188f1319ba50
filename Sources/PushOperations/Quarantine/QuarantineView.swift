package import PushModel
package import PushStore

/// A subscriber with errors as it is shown.
package struct QuarantineView: View, Equatable {
    /// nil where the app has gone since.
    package var app: String?
    package var registrationToken: String
    package var userKey: String
    package var state: QuarantineState
    /// Errors that counted.
    package var errors: Int
    /// When the state began.
    package var since: WallTime
    package var lastErrorAt: WallTime
    package var source: QuarantineSource
    /// The gateway's last word.
    package var reason: String
    /// The delivery whose message got it; nil where none did.
    package var delivery: DeliveryID?

    init(_ entry: QuarantineEntry, app: String?) {
        self.app = app
        registrationToken = entry.token
        userKey = entry.userKey
        state = entry.state
        errors = entry.errors
        since = entry.since
        lastErrorAt = entry.lastError
        source = entry.source
        reason = entry.reason
        delivery = entry.delivery
    }
}

// Their raw values are the store's; here they are words.

extension QuarantineState: Codable, Word {
    /// As operators read and type it.
    package var name: String {
        switch self {
        case .disabled: "disabled"
        case .quarantined: "quarantined"
        case .counting: "counting"
        }
    }
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}

extension QuarantineSource: Codable, Word {
    package var name: String {
        switch self {
        case .answer: "answer"
        case .feedback: "feedback"
        }
    }
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}
