package import PushModel
package import PushStore
internal import PushWebhooks

/// Creates a webhook, which receives the events that happen from now on. Only this answer contains its secret.
package struct CreateWebhook: Change, UseCase {
    package static let name = "webhook.create"
    package static let operation = Operation(
        .post, "/webhooks", .admin, "Creates a webhook. Only this answer contains its secret.", status: 201,
        maxBodyBytes: WebhookFields.maxBodyBytes)
    package static let members: [Member<Self>] =
        [.field(\.name, "name", "The webhook's name, unique in the instance.")]
        + Member.all(of: \.fields, except: \.enabled)
    package var lookAfterwards: String { "webhook list" }
    package var auditText: AuditText? { .of(name) }

    package private(set) var name = ""
    private var fields = WebhookFields()

    package init() {}

    package init(
        name: String, url: String, events: [WebhookEventKind], service: String?, authorities: String?
    ) {
        self.name = name
        (fields.url, fields.events, fields.service) = (url, events, service)
        fields.authorities = authorities
    }

    package func prepare(in operations: Operations) throws -> Step<NewWebhookSecret> {
        try NameRule.check(addressed: name, "the webhook's name")
        try fields.check()
        let order = WebhookOrder(
            name: name, url: fields.url, authorities: fields.authorities,
            kinds: WebhookEventKinds(fields.events), service: fields.service)
        let secret = WebhookSecrets.make()
        let (now, key) = (operations.clock.moment(), try operations.key())
        return Step { store in
            let webhook = try store.webhookWriter(key: key).create(order, secret: secret, at: now)
            return NewWebhookSecret(
                webhook: WebhookView(webhook, at: now), secret: WebhookSignature.text(of: secret))
        }
    }
}
