package import PushModel
internal import PushQueue

/// The reasons why messages of a delivery were not sent, with their counts.
package struct DeliveryReasons: Equatable, Sendable {
    package struct Count: Equatable, Sendable {
        package var state: MessageState
        package var reason: FailureReason?
        /// The gateway's reason code, or PushMTA's own reason if the gateway was never asked; empty if there
        /// is none.
        package var text: String
        package var count: Int
    }
    /// The counts of `failed`, `excluded` and `cancelled` messages, the most frequent first.
    package var counts: [Count] = []
    /// The time when the first of the retrying messages is due; `nil` if there is none.
    package var nextRetry: WallTime?
    package init() {}
}

extension DeliveryReader {
    /// Returns the reasons according to the delivery's tally. The cost does not depend on the number of
    /// messages. Impossible figures are left out (``DeliverySummary/isMiscounted``).
    package func reasons(of id: DeliveryID) throws(StoreError) -> DeliveryReasons {
        try connection.read("count a delivery's failures", of: id) { db in
            var causes = CauseStore(id, db)
            var counts: [Key: Int] = [:]
            for entry in try TallyTable(db: db).readableTallies(of: id).entries {
                for figure in entry.tally.withoutMinutes.entries {
                    switch figure.key.state {
                    case .pending, .retrying, .sent: continue
                    case .failed, .cancelled, .excluded: break
                    }
                    let cause = try causes[figure.key.cause]
                    let key = Key(state: figure.key.state, reason: cause?.reason, text: cause?.word ?? "")
                    counts[key, default: 0] += figure.count
                }
            }
            var reasons = DeliveryReasons()
            reasons.nextRetry = try db.value(Int64.self, sql: HotSQL.nextDue, arguments: [id.rawValue])
                .map(WallTime.init(secondsSince1970:))
            reasons.counts = counts.map {
                DeliveryReasons.Count(state: $0.state, reason: $0.reason, text: $0.text, count: $1)
            }.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
            return reasons
        }
    }

    private struct Key: Hashable {
        var state: MessageState
        var reason: FailureReason?
        var text: String
    }
}

extension HotSQL {
    /// ?1: the delivery. Returns the time when the first of its retries is due.
    static let nextDue = """
        SELECT min(next_due) FROM (
            SELECT next_due FROM part_progress WHERE is_open = 1 AND delivery_id BETWEEN ?1 AND ?1
            ORDER BY delivery_id, part_id LIMIT \(Int32.max)) AS page
        """
}
