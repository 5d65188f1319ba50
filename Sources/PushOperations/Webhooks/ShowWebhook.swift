internal import PushModel
internal import PushStore

/// All receivers of events, by name.
package struct ListWebhooks: ShortOperation {
    package static let name = "webhook.list"

    package init() {}

    package func perform(in operations: Operations) throws -> [WebhookView] {
        let now = operations.clock.moment()
        return try operations.store.webhooks.list().map { WebhookView($0, at: now) }
    }
}

/// One of them.
package struct ShowWebhook: ShortOperation {
    package static let name = "webhook.show"

    package var name: String

    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> WebhookView {
        WebhookView(try operations.requireWebhook(name), at: operations.clock.moment())
    }
}
