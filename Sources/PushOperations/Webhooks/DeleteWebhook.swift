internal import PushModel
internal import PushStore

/// A receiver is told nothing more.
package struct DeleteWebhook: ChangingOperation {
    package static let name = "webhook.delete"
    package var lookAfterwards: String { "webhook list" }

    package var name: String
    /// Who asks, for the audit trail.
    package var by: String

    package init(name: String, by: String) {
        self.name = name
        self.by = by
    }

    package func perform(in operations: Operations) throws -> DeletedWebhook {
        let webhook = try operations.webhookWriter().delete(name, by: by, at: operations.clock.moment())
        return DeletedWebhook(name: name, behind: webhook.progress.behind)
    }
}

package struct DeletedWebhook: Codable, Equatable, Sendable {
    package var name: String
    /// Events that it was not told, those that were not for it included.
    package var behind: Int64
}
