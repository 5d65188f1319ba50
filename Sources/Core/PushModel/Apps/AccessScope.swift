/// What a token of the API lets its bearer do. None includes another.
package enum AccessScope: String, CaseIterable, Sendable {
    /// Ask: deliveries, statistics, subscribers, status.
    case read
    /// Submit deliveries and messages, and steer what was submitted.
    case send
    /// Change services, apps, subscribers, quarantine and tokens.
    case admin
}
