package import PushModel
internal import PushStore

/// A receiver of events as it is shown: never its secret.
package struct WebhookView: Codable, Equatable, Sendable {
    package var name: String
    package var url: String
    package var events: [WebhookEventKind]
    /// nil: of all services.
    package var service: String?
    /// Whether its certificate is to be signed by authorities that were given for it.
    package var ownAuthorities: Bool
    package var enabled: Bool
    /// Why nothing is sent to it; nil: it is.
    package var disabledReason: String?
    package var created: WallMoment
    /// Until when the secret before the last signs as well; nil: there is none.
    package var oldSecretUntil: WallMoment?
    /// Events that it was not told yet, those that are not for it included.
    package var behind: Int64
    /// How long the first of them has waited; 0: there is none.
    package var behindSeconds: Int64
    /// Attempts in a row that failed.
    package var failures: Int
    /// Before it is not tried again; nil: at once.
    package var nextAttempt: WallMoment?
    package var lastAnswer: String?
    package var lastAnswerAt: WallMoment?
    /// Batches that it took, and attempts that it did not.
    package var batchesTaken: Int64
    package var attemptsFailed: Int64
    /// Events that it took, and such that it never got.
    package var told: Int64
    package var dropped: Int64

    init(_ webhook: Webhook, at now: WallMoment) {
        let (order, progress) = (webhook.order, webhook.progress)
        (name, url, service) = (order.name, order.url, order.service)
        events = order.kinds.all
        ownAuthorities = order.authorities != nil
        enabled = webhook.disabled == nil
        disabledReason = webhook.disabled
        created = webhook.created
        oldSecretUntil = webhook.oldSecretUntil.flatMap { $0 > now ? $0 : nil }
        behind = progress.behind
        behindSeconds = max(progress.oldest.map { now.time.seconds(since: $0.time) } ?? 0, 0)
        failures = progress.failures
        nextAttempt = progress.next.flatMap { $0 > now ? $0 : nil }
        lastAnswer = progress.answer
        lastAnswerAt = progress.answered
        (batchesTaken, attemptsFailed) = (progress.taken, progress.refused)
        (told, dropped) = (progress.told, progress.dropped)
    }

    /// From how long on it is told as lagging: longer than a receiver takes to start anew.
    package static let lagSeconds: Int64 = 60

    /// Whether an operator should look.
    package var needsAttention: Bool {
        !enabled || failures > 0 || behindSeconds >= Self.lagSeconds
    }
}

extension WebhookEventKind: Codable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let kind = Self(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no kind of event; there are \(Self.allNames)")
        }
        self = kind
    }

    /// For errors and help.
    package static var allNames: String { allCases.map(\.name).joined(separator: ", ") }
}

/// A webhook and its secret, which is shown this once.
package struct NewWebhookSecret: Codable, Sendable {
    package var webhook: WebhookView
    /// `whsec_…`
    package var secret: String
}
