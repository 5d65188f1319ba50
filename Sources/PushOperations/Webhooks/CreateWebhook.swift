package import PushModel
package import PushStore
internal import PushWebhooks

/// Makes a receiver of events. Its secret is in the answer and nowhere else, ever. It is told what happens
/// from now on.
package struct CreateWebhook: ChangingOperation {
    package static let name = "webhook.create"
    package var lookAfterwards: String { "webhook list" }
    package var auditText: AuditText? { .of(name) }

    package var name: String
    package var url: String
    package var events: [WebhookEventKind]
    /// Only events of this service; nil: of all.
    package var service: String?
    /// In PEM: who signs the receiver's certificate; nil: one of the system's authorities.
    package var authorities: String?

    package init(
        name: String, url: String, events: [WebhookEventKind], service: String?, authorities: String?
    ) {
        self.name = name
        self.url = url
        self.events = events
        self.service = service
        self.authorities = authorities
    }

    package func perform(in operations: Operations) throws -> NewWebhookSecret {
        try NameRule.check(addressed: name, "the webhook's name")
        try WebhookRules.check(url: url)
        if let authorities { try WebhookRules.check(authorities: authorities) }
        let order = WebhookOrder(
            name: name, url: url, authorities: authorities, kinds: try WebhookRules.kinds(events),
            service: service)
        let secret = WebhookSecrets.make()
        let now = operations.clock.moment()
        let webhook = try operations.webhookWriter().create(order, secret: secret, at: now)
        return NewWebhookSecret(
            webhook: WebhookView(webhook, at: now), secret: WebhookSignature.text(of: secret))
    }
}
