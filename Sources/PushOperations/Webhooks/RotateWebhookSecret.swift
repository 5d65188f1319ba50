internal import PushModel
package import PushStore
internal import PushWebhooks

/// Makes a new secret for a webhook. The previous one signs for another day.
package struct RotateWebhookSecret: Change, UseCase {
    package static let name = "webhook.rotate-secret"
    package static let operation = Operation(
        .post, "/webhooks/{name}/rotate-secret", .admin,
        "Makes a new secret, which only this answer contains. The previous one signs for another day.")
    package static let members: [Member<Self>] = [.path(\.name, "name", WebhookFields.nameHelp)]
    package var lookAfterwards: String { "webhook show \(name)" }
    package var auditText: AuditText? { .of(name) }

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func prepare(in operations: Operations) throws -> Step<NewWebhookSecret> {
        let secret = WebhookSecrets.make()
        let (now, key) = (operations.clock.moment(), try operations.key())
        return Step { store in
            let webhook = try store.webhookWriter(key: key).rotate(name, secret: secret, at: now)
            return NewWebhookSecret(
                webhook: WebhookView(webhook, at: now), secret: WebhookSignature.text(of: secret))
        }
    }
}
