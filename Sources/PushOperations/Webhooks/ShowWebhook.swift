internal import PushModel
internal import PushStore

/// All webhooks, by name.
package struct ListWebhooks: ShortOperation, UseCase {
    package static let name = "webhook.list"
    package static let operation = Operation(.get, "/webhooks", .admin, "All webhooks and their progress.")
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [WebhookView] {
        let now = operations.clock.moment()
        return try operations.store.webhooks.list().map { WebhookView($0, at: now) }
    }
}

/// One webhook.
package struct ShowWebhook: ShortOperation, UseCase {
    package static let name = "webhook.show"
    package static let operation = Operation(.get, "/webhooks/{name}", .admin, "One webhook.")
    package static let members: [Member<Self>] = [.path(\.name, "name", WebhookFields.nameHelp)]

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> WebhookView {
        WebhookView(try operations.requireWebhook(name), at: operations.clock.moment())
    }
}
