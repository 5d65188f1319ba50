/// The permissions of an API token or of a person. No scope includes another.
package enum AccessScope: String, CaseIterable, Sendable {
    /// Read deliveries, statistics, subscribers and status.
    case read
    /// Submit deliveries and messages, and control those that were submitted.
    case send
    /// Change services, apps, subscribers, quarantine and tokens.
    case admin
    /// Manage people and their roles.
    case people
}
