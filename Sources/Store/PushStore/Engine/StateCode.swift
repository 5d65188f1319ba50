internal import PushModel

/// The codes that represent states in columns, for use in the texts of statements. Statements must contain
/// these codes as literals; otherwise, partial indexes are not used.
enum StateCode {
    // States of a message.
    static let pending = MessageState.pending.rawValue
    static let retrying = MessageState.retrying.rawValue
    static let sent = MessageState.sent.rawValue
    static let failed = MessageState.failed.rawValue
    static let cancelled = MessageState.cancelled.rawValue
    static let excluded = MessageState.excluded.rawValue

    // States of a subscription: the values of its `disabled` column and of its quarantine row.
    static let valid: Int64 = 0
    static let quarantined = QuarantineState.quarantined.rawValue
    /// The subscription's user has opted out (``OptOuts``). Only the `disabled` column has this value: a
    /// quarantine row of the subscription keeps its own state.
    static let optedOut: Int64 = 4
    /// The subscription is valid and has errors that count toward a quarantine.
    static let counting = QuarantineState.counting.rawValue
    /// The condition of the partial index `quarantine_since`, word for word.
    static let isExcluding = "state <> \(counting)"
}
