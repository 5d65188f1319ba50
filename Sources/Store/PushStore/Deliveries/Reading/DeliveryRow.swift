internal import PushModel

/// The contents of a delivery's row, as SQL and as values.
enum DeliveryRow {
    /// The condition of the partial index `delivery_live`, word for word. If it differed, SQLite would not
    /// use the index.
    static let isLive = "state IN (\(liveStates))"
    /// The same condition as ``isLive``, for statements that specify a delivery's id. No partial index has
    /// this form of the condition. If an index had this form, a planner that assumes a tiny table would read
    /// that index completely instead of using the primary key.
    static let isThisLive = "coalesce(state, '') IN (\(liveStates))"
    private static let liveStates = "'startPending', 'preparing', 'inProgress', 'paused'"

    /// The condition of the partial index `delivery_to_prepare`, word for word: the delivery has begun or has
    /// no start to wait for, and is not completely prepared.
    static let isToPrepare = """
        prepared = 0 AND (state = 'preparing' OR state = 'startPending' AND start_at IS NULL)
        """
    /// The condition of the partial index `delivery_scheduled`, word for word: the delivery waits for its
    /// start time, or should have begun.
    static let isScheduled = "prepared = 0 AND state = 'startPending' AND start_at IS NOT NULL"

    /// The condition of the partial index `delivery_open`, word for word: single messages may join the
    /// delivery (`open_until`), or the delivery must be closed.
    static let isOpen = "open_until IS NOT NULL AND prepared = 0 AND state = 'inProgress'"
    /// See ``isThisLive``.
    static let isThisOpen = "open_until IS NOT NULL AND prepared = 0 AND coalesce(state, '') = 'inProgress'"

    /// The condition for a delivery that sends no more messages, unless failed messages are sent again.
    static let hasEnded = "state IN ('finished', 'stopped', 'failed')"

    /// The condition of the partial index `delivery_ended`, word for word: the delivery's messages exist, and
    /// none of them is waiting.
    static let keepsMessages = "finished_ms IS NOT NULL AND removed_ms IS NULL"

    /// The value of `retention_days` with which the setting `nmac/@retentionDays` applies.
    static let retentionOfSetting: Int64 = -1

    /// The values of ``rank(of:)``.
    static let ranks = 1...5

    /// Returns the stored rank. Stored ranks start at 1.
    static func rank(of priority: DeliveryPriority) -> Int { priority.rank + 1 }

    static func priority(ofRank rank: Int) -> DeliveryPriority {
        DeliveryPriority.allCases.first { self.rank(of: $0) == rank } ?? .normal
    }

    /// - Parameter stop: The value of the column `stop_ms`.
    static func state(_ text: String, stop: Int64?) throws -> DeliveryState {
        guard let state = DeliveryState(rawValue: text), state != .stopping else { throw UnreadableValue() }
        return state == .paused && stop != nil ? .stopping : state
    }

    /// Returns the state; `nil` if the delivery does not exist.
    static func state(of delivery: DeliveryID, _ db: any Session) throws -> DeliveryState? {
        try db.row(sql: "SELECT state, stop_ms FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
            .map { try state($0[0], stop: $0[1]) }
    }

    /// The state of a delivery once none of its messages waits.
    static let end = "CASE WHEN stop_ms IS NULL THEN 'finished' ELSE 'stopped' END"
}

/// How a target is stored in the columns of its delivery.
enum StoredTarget: String {
    case all, userKeys, tokens, parameters
    /// Any other target, and any target with exclusions: ``TargetDetails`` contains the details. A version
    /// that does not know these details sets such a delivery aside, so that it does not send the delivery to
    /// excluded recipients.
    case detailed

    /// Listed values are stored in pages of this size. One transaction looks up one page.
    static let pageSize = 2_500

    init(_ target: Target) {
        self =
            switch target.base {
            case _ where target.isRefined: .detailed
            case .all: .all
            case .userKeys: .userKeys
            case .tokens: .tokens
            case .parameters: .parameters
            case .list, .matching, .recipients, .openers, .nonOpeners, .combined: .detailed
            }
    }
}
