package import PushModel
package import PushStore

/// A subscriber with errors as it is shown.
package struct QuarantineView: Codable, Equatable, Sendable {
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

extension QuarantineState: Codable {
    /// As operators read and type it.
    package var name: String {
        switch self {
        case .disabled: "disabled"
        case .quarantined: "quarantined"
        case .counting: "counting"
        }
    }

    package init?(name: String) {
        guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = state
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let state = Self(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no state of quarantine")
        }
        self = state
    }
}

extension QuarantineSource: Codable {
    package var name: String {
        switch self {
        case .answer: "answer"
        case .feedback: "feedback"
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let source = Self.allCases.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no source of a verdict")
        }
        self = source
    }
}
