internal import PushModel
package import PushStore

/// A receiver is told nothing more.
package struct DeleteWebhook: ChangingOperation {
    package static let name = "webhook.delete"
    package var lookAfterwards: String { "webhook list" }
    package var auditText: AuditText? { .of(name) }

    package var name: String

    package init(name: String) {
        self.name = name
    }

    package func perform(in operations: Operations) throws -> DeletedWebhook {
        let webhook = try operations.webhookWriter().delete(name)
        return DeletedWebhook(name: name, behind: webhook.progress.behind)
    }
}

package struct DeletedWebhook: View, Equatable {
    package var name: String
    /// Events that it was not told, those that were not for it included.
    package var behind: Int64
}
