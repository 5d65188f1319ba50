internal import PushModel
package import PushStore

/// Deletes a webhook. Events that it has not accepted yet are not sent to it.
package struct DeleteWebhook: Change, UseCase {
    package static let name = "webhook.delete"
    package static let operation = Operation(.delete, "/webhooks/{name}", .admin, "Deletes a webhook.")
    package static let members: [Member<Self>] = [.path(\.name, "name", WebhookFields.nameHelp)]
    package var lookAfterwards: String { "webhook list" }
    package var auditText: AuditText? { .of(name) }

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func prepare(in operations: Operations) throws -> Step<DeletedWebhook> {
        let key = try operations.key()
        return Step { store in
            let webhook = try store.webhookWriter(key: key).delete(name)
            return DeletedWebhook(name: name, behind: webhook.progress.behind)
        }
    }
}

package struct DeletedWebhook: View, Equatable {
    package static let about = ["behind": "events behind its cursor, including those that it did not receive"]

    package var name: String
    package var behind: Int64
}
