internal import PushModel

/// What a delivery's row says, in SQL and in nouns.
enum DeliveryRow {
    /// The condition of the partial index `delivery_live`, word for word, or SQLite would not use it.
    static let isLive = "state IN (\(liveStates))"
    /// The same of a delivery whose id is given. No partial index has this condition: a planner that takes the table for
    /// tiny would read all of such an index instead of the primary key.
    static let isThisLive = "coalesce(state, '') IN (\(liveStates))"
    private static let liveStates = "'startPending', 'preparing', 'inProgress', 'paused'"

    /// The condition of the partial index `delivery_to_prepare`, word for word: what has begun or has no
    /// start to wait for, and is not wholly prepared.
    static let isToPrepare = """
        prepared = 0 AND (state = 'preparing' OR state = 'startPending' AND start_at IS NULL)
        """
    /// The condition of the partial index `delivery_scheduled`, word for word: what begins at its start, or
    /// should have.
    static let isScheduled = "prepared = 0 AND state = 'startPending' AND start_at IS NOT NULL"

    /// The condition of the partial index `delivery_open`, word for word: single messages may join it
    /// (`open_until`), or it is to be closed.
    static let isOpen = "open_until IS NOT NULL AND prepared = 0 AND state = 'inProgress'"
    /// As ``isThisLive``.
    static let isThisOpen = "open_until IS NOT NULL AND prepared = 0 AND coalesce(state, '') = 'inProgress'"

    /// Nothing of it is sent any more, unless failed messages are sent again.
    static let hasEnded = "state IN ('finished', 'stopped', 'failed')"

    /// The condition of the partial index `delivery_ended`, word for word: its messages are there, and nothing
    /// waits for their end.
    static let keepsMessages = "finished_ms IS NOT NULL AND removed_ms IS NULL"

    /// In `retention_days`: as `nmac/@retentionDays` says.
    static let retentionOfSetting: Int64 = -1

    /// Of ``rank(of:)``.
    static let ranks = 1...5

    /// In the store they begin with one.
    static func rank(of priority: DeliveryPriority) -> Int { priority.rank + 1 }

    static func priority(ofRank rank: Int) -> DeliveryPriority {
        DeliveryPriority.allCases.first { self.rank(of: $0) == rank } ?? .normal
    }

    /// - Parameter stop: the column `stop_ms`.
    static func state(_ text: String, stop: Int64?) throws -> DeliveryState {
        guard let state = DeliveryState(rawValue: text), state != .stopping else { throw UnreadableValue() }
        return state == .paused && stop != nil ? .stopping : state
    }

    /// nil: there is no such delivery.
    static func state(of delivery: DeliveryID, _ db: any Session) throws -> DeliveryState? {
        try db.row(sql: "SELECT state, stop_ms FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
            .map { try state($0[0], stop: $0[1]) }
    }

    /// What a delivery of which nothing waits becomes.
    static let end = "CASE WHEN stop_ms IS NULL THEN 'finished' ELSE 'stopped' END"
}

/// How a target lies in its columns.
enum StoredTarget: String {
    case all, userKeys, tokens, parameters
    /// Any other, and any that leaves some out: ``TargetDetails`` say it. A version that did not know them
    /// sets such a delivery aside, rather than send it to whom it excludes.
    case detailed

    /// Listed values are kept in pages of this many: one page is looked up in one transaction.
    static let pageSize = 2_500

    init(_ target: Target) {
        self =
            switch target.base {
            case _ where target.isRefined: .detailed
            case .all: .all
            case .userKeys: .userKeys
            case .tokens: .tokens
            case .parameters: .parameters
            case .list, .matching, .recipients, .openers, .nonOpeners: .detailed
            }
    }
}
