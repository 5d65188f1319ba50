internal import PushModel
package import PushStore

/// Changes a webhook. A webhook that is enabled again receives the events since then, as far as they were kept.
package struct UpdateWebhook: Change, UseCase {
    package static let name = "webhook.update"
    package static let operation = Operation(
        .patch, "/webhooks/{name}", .admin, "Changes a webhook.", maxBodyBytes: WebhookFields.maxBodyBytes)
    package static let members: [Member<Self>] =
        [.path(\.name, "name", WebhookFields.nameHelp)] + Member.all(of: \.changes)
    package var lookAfterwards: String { "webhook show \(name)" }
    package var auditText: AuditText? { .of(name) }

    package private(set) var name = ""
    package var changes = Changes<WebhookFields>()

    package init() {}
    package init(name: String) { self.name = name }

    package func prepare(in operations: Operations) throws -> Step<WebhookView> {
        guard !changes.isEmpty else {
            throw OperationError(
                .usage, "nothing to change: give url, events, service, authorities or enabled")
        }
        var fields = WebhookFields(try operations.requireWebhook(name))
        try changes.apply(to: &fields)
        fields.authorities = fields.authorities.nonEmpty
        try fields.check()
        var change = WebhookWriter.Change()
        change.url = changes[\.url]
        change.kinds = changes[\.events].map { WebhookEventKinds($0) }
        change.service = changes[\.service].map { $0.nonEmpty.map { .named($0) } ?? .any }
        change.authorities = changes[\.authorities].map { $0.nonEmpty.map { .given(pem: $0) } ?? .system }
        change.isEnabled = changes[\.enabled]
        let (now, key) = (operations.clock.moment(), try operations.key())
        return Step { [change, caller = operations.caller] store in
            let writer = store.webhookWriter(key: key)
            return WebhookView(try writer.update(name, change, by: caller, at: now), at: now)
        }
    }
}

extension String? {
    /// Clients of earlier versions remove a value with an empty text.
    fileprivate var nonEmpty: String? { self == "" ? nil : self }
}
