package import PushModel
package import PushStore

/// Changes what is named; the rest stays. Once enabled again, a receiver is told what has happened meanwhile,
/// as far as that was kept.
package struct UpdateWebhook: ChangingOperation {
    package static let name = "webhook.update"
    package var lookAfterwards: String { "webhook show \(name)" }
    package var auditText: AuditText? { .of(name) }

    package var name: String
    package var url: String?
    package var events: [WebhookEventKind]?
    /// Empty: of all services.
    package var service: String?
    /// In PEM. Empty: the system's.
    package var authorities: String?
    package var enabled: Bool?

    package init(name: String) {
        self.name = name
    }

    package func perform(in operations: Operations) throws -> WebhookView {
        var change = WebhookWriter.Change()
        if let url {
            try WebhookRules.check(url: url)
            change.url = url
        }
        change.kinds = try events.map(WebhookRules.kinds)
        if let service { change.service = service.isEmpty ? .any : .named(service) }
        if let authorities {
            if !authorities.isEmpty { try WebhookRules.check(authorities: authorities) }
            change.authorities = authorities.isEmpty ? .system : .given(pem: authorities)
        }
        change.isEnabled = enabled
        guard !change.isEmpty else {
            throw OperationError(.usage, "nothing is to be changed; say what: url, events, service, enabled")
        }
        let now = operations.clock.moment()
        return WebhookView(
            try operations.webhookWriter().update(name, change, by: operations.caller, at: now), at: now)
    }
}
