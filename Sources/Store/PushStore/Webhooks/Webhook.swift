internal import PushCrypto
package import PushModel

/// A receiver of events as described by the operator, and its progress. Its secrets are not included; they
/// stay sealed (``WebhookSecrets``).
package struct Webhook: Equatable, Sendable {
    package var id: WebhookID
    package var order: WebhookOrder
    /// A mark that changes when other events are requested. A batch that was put together under an earlier
    /// mark is no longer valid.
    package var mark: String
    /// The reason why nothing is sent to the receiver; `nil` if it is enabled.
    package var disabled: String?
    package var created: WallMoment
    /// The time until which the previous secret is also valid; `nil` if there is no previous secret.
    package var oldSecretUntil: WallMoment?
    package var progress: WebhookProgress
}

/// The settings that an operator gives for a webhook.
package struct WebhookOrder: Equatable, Sendable {
    package var name: String
    package var url: String
    /// The certificates, in PEM, of the authorities that sign the receiver's certificate; `nil` for the
    /// system's authorities.
    package var authorities: String?
    package var kinds: WebhookEventKinds
    /// The service whose apps' events are sent; `nil` for all services.
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

/// The progress of a receiver.
package struct WebhookProgress: Equatable, Sendable {
    /// The number of the last event that the receiver took.
    package var cursor: Int64
    /// The number of the last event of the batch that follows the cursor; `nil` if no such batch has been put
    /// together.
    package var batchEnd: Int64?
    /// The number of events of any kind after the cursor.
    package var behind: Int64
    /// The time at which the first event after the cursor was recorded; `nil` if there is none.
    package var oldest: WallMoment?
    /// The number of consecutive failed attempts.
    package var failures: Int
    /// The time before which delivery is not tried again.
    package var next: WallMoment?
    /// A description of the result of the last attempt.
    package var answer: String?
    package var answered: WallMoment?
    /// The numbers of batches that the receiver took, of attempts that failed, of events that it took, and of
    /// events that it never received.
    package var taken: Int64
    package var refused: Int64
    package var told: Int64
    package var dropped: Int64
}

/// The secrets by which a receiver recognises this instance. Every request is signed with the current secret.
package struct WebhookSecrets: Equatable, Sendable, CustomStringConvertible {
    /// The size of a secret, in bytes. The specification requires 24 to 64.
    package static let bytes = 32
    package static let prefix = "whsec_"

    package var present: [UInt8]
    /// The previous secret, while it is valid.
    package var old: [UInt8]?

    package init(present: [UInt8], old: [UInt8]? = nil) {
        self.present = present
        self.old = old
    }

    /// Makes a secret from the system's random numbers.
    package static func make() -> [UInt8] { SecureRandom.bytes(bytes) }

    /// A text without the secrets, so that they are never printed.
    package var description: String { "secrets of a webhook" }
}
