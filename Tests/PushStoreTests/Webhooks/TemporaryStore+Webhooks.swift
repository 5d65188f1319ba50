import PushModel
import PushStore

/// Helpers for tests of webhooks.
extension TemporaryStore {
    func webhook(
        _ kinds: [WebhookEventKind] = WebhookEventKind.allCases, named name: String = "crm",
        service: String? = nil
    ) throws -> Webhook {
        try store.webhookWriter(key: key).create(
            WebhookOrder(
                name: name, url: "https://crm.example.com", kinds: WebhookEventKinds(kinds), service: service),
            secret: [1, 2, 3], at: Self.noon)
    }

    func events(
        for webhook: Webhook, after number: Int64 = 0, upTo end: Int64? = nil, limit: Int = 10_000
    ) throws -> WebhookEventPage {
        try store.webhookEvents.events(for: webhook, after: number, upTo: end, limit: limit)
    }
}
