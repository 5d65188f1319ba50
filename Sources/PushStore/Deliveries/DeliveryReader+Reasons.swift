package import PushModel

/// Why messages of a delivery were not sent, counted.
package struct DeliveryReasons: Equatable, Sendable {
    package struct Count: Equatable, Sendable {
        package var state: MessageState
        package var reason: FailureReason?
        /// The gateway's word, or ours where it was never asked; empty: there is none.
        package var text: String
        package var count: Int
    }
    /// Of `failed`, `excluded` and `cancelled` messages; the most frequent first.
    package var counts: [Count] = []
    /// When the first of those that are retrying is due; nil: none is.
    package var nextRetry: WallTime?
    package init() {}
}

extension DeliveryReader {
    /// Reads the delivery's messages, part by part, in transactions of at most 5 000 rows: a million take about a
    /// second.
    package func reasons(of id: DeliveryID) throws(StoreError) -> DeliveryReasons {
        var counts: [Key: Int] = [:]
        var next: Int64?
        var cursor: Int64 = 0
        while true {
            let part = try connection.read("count a delivery's failures") { db in
                let part = try db.row(
                    sql: """
                        SELECT first_id, last_id FROM part WHERE delivery_id = ?1 AND last_id > ?2
                        ORDER BY last_id LIMIT 1
                        """,
                    arguments: [id.rawValue, cursor])
                guard let part else { return nil as Int64? }
                let first: Int64 = try part["first_id"], last: Int64 = try part["last_id"]
                for row in try db.rows(
                    sql: """
                        SELECT state, failure_reason, coalesce(provider_reason, '') AS text, count(*) AS count,
                            min(due_at) AS due
                        FROM message WHERE id BETWEEN ?1 AND ?2 AND state IN (
                            \(StateCode.retrying), \(StateCode.failed), \(StateCode.cancelled), \(StateCode.excluded))
                        GROUP BY state, failure_reason, text
                        """,
                    arguments: [first, last])
                {
                    if let due = try row["due"] as Int64? { next = min(next ?? due, due) }
                    let state: Int64 = try row["state"]
                    guard state != MessageState.retrying.rawValue else { continue }
                    counts[Key(state: state, reason: try row["failure_reason"], text: try row["text"]), default: 0] +=
                        try row["count"] as Int
                }
                return last
            }
            guard let part else { break }
            cursor = part
        }
        var reasons = DeliveryReasons()
        reasons.nextRetry = next.map(WallTime.init(secondsSince1970:))
        reasons.counts = counts.compactMap { key, count in
            MessageState(rawValue: key.state).map {
                DeliveryReasons.Count(
                    state: $0, reason: key.reason.flatMap(FailureReason.init(rawValue:)), text: key.text, count: count
                )
            }
        }.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
        return reasons
    }

    private struct Key: Hashable {
        var state: Int64
        var reason: Int64?
        var text: String
    }
}
