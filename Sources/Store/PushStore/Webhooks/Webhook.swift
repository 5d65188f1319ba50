package import PushModel

/// A receiver of events as the operator described it, and how far it has come. Its secrets are not here: they
/// stay sealed (``WebhookSecrets``).
package struct Webhook: Equatable, Sendable {
    package var id: WebhookID
    package var order: WebhookOrder
    /// Another one when other events are wanted: what was put together before is no batch any more.
    package var mark: String
    /// Why nothing is sent to it; nil: it is.
    package var disabled: String?
    package var created: WallMoment
    /// Until when the secret before is good as well; nil: there is none.
    package var oldSecretUntil: WallMoment?
    package var progress: WebhookProgress
}

/// What an operator says of it.
package struct WebhookOrder: Equatable, Sendable {
    package var name: String
    package var url: String
    /// In PEM: who signs the receiver's certificate; nil: one of the system's authorities.
    package var authorities: String?
    package var kinds: WebhookEventKinds
    /// Only events of this service's apps; nil: of all.
    package var service: String?

    package init(
        name: String, url: String, authorities: String? = nil, kinds: WebhookEventKinds,
        service: String? = nil
    ) {
        self.name = name
        self.url = url
        self.authorities = authorities
        self.kinds = kinds
        self.service = service
    }
}

/// How far a receiver has come.
package struct WebhookProgress: Equatable, Sendable {
    /// The last event that it took, by number.
    package var cursor: Int64
    /// The last one of the batch that it was sent next; nil: none is put together.
    package var batchEnd: Int64?
    /// Events behind its cursor, of whatever kind.
    package var behind: Int64
    /// When the first of them was recorded; nil: there is none.
    package var oldest: WallMoment?
    /// Attempts in a row that failed.
    package var failures: Int
    /// Before it is not tried again.
    package var next: WallMoment?
    /// What came of the last attempt, in words.
    package var answer: String?
    package var answered: WallMoment?
    /// Batches that it took, attempts that it did not, events that it took, and such that it never got.
    package var taken: Int64
    package var refused: Int64
    package var told: Int64
    package var dropped: Int64
}

/// The secrets that a receiver knows us by: the last is signed with always.
package struct WebhookSecrets: Equatable, Sendable, CustomStringConvertible {
    /// Bytes of one, which the specification wants to be 24 to 64.
    package static let bytes = 32
    package static let prefix = "whsec_"

    package var present: [UInt8]
    /// That of before, for as long as it is good.
    package var old: [UInt8]?

    package init(present: [UInt8], old: [UInt8]? = nil) {
        self.present = present
        self.old = old
    }

    /// Of the system's randomness.
    package static func make() -> [UInt8] {
        var chance = SystemRandomNumberGenerator()
        return (0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &chance) }
    }

    /// Secrets do not print.
    package var description: String { "secrets of a webhook" }
}
