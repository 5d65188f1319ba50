internal import PushModel
package import PushStore
internal import PushWebhooks

/// Makes another secret, which is in the answer and nowhere else. That of before signs for a day more.
package struct RotateWebhookSecret: ChangingOperation {
    package static let name = "webhook.rotate-secret"
    package var lookAfterwards: String { "webhook show \(name)" }
    package var auditText: AuditText? { .of(name) }

    package var name: String

    package init(name: String) {
        self.name = name
    }

    package func perform(in operations: Operations) throws -> NewWebhookSecret {
        let secret = WebhookSecrets.make()
        let now = operations.clock.moment()
        let webhook = try operations.webhookWriter().rotate(name, secret: secret, at: now)
        return NewWebhookSecret(
            webhook: WebhookView(webhook, at: now), secret: WebhookSignature.text(of: secret))
    }
}
