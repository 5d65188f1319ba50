package import PushModel
internal import PushStore

/// A webhook as it is shown, without its secret.
package struct WebhookView: View, Equatable {
    package static let about = [
        "service": "null: all services",
        "ownAuthorities": "whether it has authorities of its own",
        "disabledReason": "why no events are sent to it; null: they are",
        "oldSecretUntil": "until when the previous secret signs as well; null: there is none",
        "behind": "events behind its cursor, including those that it does not receive",
        "behindSeconds": "how long the first of these has waited",
        "failures": "failed attempts since the last success",
        "nextAttempt": "null: at once",
        "told": "events that it accepted",
        "dropped": "events that were dropped before it accepted them",
    ]

    package var name: String
    package var url: String
    package var events: [WebhookEventKind]
    package var service: String?
    package var ownAuthorities: Bool
    package var enabled: Bool
    package var disabledReason: String?
    package var created: WallMoment
    package var oldSecretUntil: WallMoment?
    package var behind: Int64
    package var behindSeconds: Int64
    package var failures: Int
    package var nextAttempt: WallMoment?
    package var lastAnswer: String?
    package var lastAnswerAt: WallMoment?
    package var batchesTaken: Int64
    package var attemptsFailed: Int64
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

    /// The delay from which a webhook counts as lagging: longer than a restart of the receiver takes.
    package static let lagSeconds: Int64 = 60

    /// Whether an operator should look.
    package var needsAttention: Bool {
        !enabled || failures > 0 || behindSeconds >= Self.lagSeconds
    }
}

/// A webhook with its new secret, which no later answer contains.
package struct NewWebhookSecret: View {
    package var webhook: WebhookView
    /// `whsec_…`
    package var secret: String
}
