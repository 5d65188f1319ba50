internal import PushModel

/// Codes of states as they stand in columns, for the texts of statements: a literal, or a partial index is
/// not used.
enum StateCode {
    // Of a message.
    static let pending = MessageState.pending.rawValue
    static let retrying = MessageState.retrying.rawValue
    static let sent = MessageState.sent.rawValue
    static let failed = MessageState.failed.rawValue
    static let cancelled = MessageState.cancelled.rawValue
    static let excluded = MessageState.excluded.rawValue

    // Of a subscription: what its `disabled` holds, and what its row of quarantine does.
    static let valid: Int64 = 0
    static let quarantined = QuarantineState.quarantined.rawValue
    /// Valid, with errors that count.
    static let counting = QuarantineState.counting.rawValue
    /// The condition of the partial index `quarantine_since`, word for word.
    static let isExcluding = "state <> \(counting)"
}
