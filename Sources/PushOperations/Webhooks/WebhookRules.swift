internal import PushModel
internal import PushStore
internal import PushWire

/// What a webhook may be.
enum WebhookRules {
    static let mostAuthorityBytes = 256 << 10

    static func check(url: String) throws(OperationError) {
        do { _ = try WebhookAddress(url) } catch { throw .refused("\(error)") }
    }

    static func kinds(_ events: [WebhookEventKind]) throws(OperationError) -> WebhookEventKinds {
        guard !events.isEmpty else {
            throw .refused("the webhook wants no events; give it one or more of \(WebhookEventKind.allNames)")
        }
        return WebhookEventKinds(events)
    }

    static func check(authorities pem: String) throws(OperationError) {
        guard pem.utf8.count <= mostAuthorityBytes,
            pem.contains("-----BEGIN CERTIFICATE-----"), pem.contains("-----END CERTIFICATE-----"),
            !pem.contains("PRIVATE KEY")
        else {
            throw .refused(
                "the authorities are not certificates in PEM of at most \(mostAuthorityBytes >> 10) KiB")
        }
    }
}

extension Operations {
    func webhookWriter() throws(StoreError) -> WebhookWriter {
        store.webhookWriter(key: try key())
    }

    /// - Throws: there is none of that name.
    func requireWebhook(_ name: String) throws -> Webhook {
        guard let webhook = try store.webhooks.webhook(named: name) else {
            throw StoreError(.unknown(.webhook, name: name), path: store.path)
        }
        return webhook
    }
}
