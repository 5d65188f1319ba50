package import PushModel

/// What waits in the store, by app: for metrics. Costs a row for each open part, and for each figure of a
/// delivery that has not ended.
package struct QueueReader: Sendable {
    let connection: Connection

    /// What waits of one app.
    package struct Queue: Equatable, Sendable {
        package var app: AppID
        package var pending: Int
        package var retrying: Int
        /// When the oldest of its deliveries that have messages waiting began.
        package var oldest: WallMoment
        /// When the first of the messages that were tried is due; nil: none waits.
        package var nextDue: WallTime?
    }

    package func queues() throws(StoreError) -> [Queue] {
        try connection.read("count what waits") { db in
            var retrying: [Int64: Int64] = [:]
            for row in try db.rows(sql: Self.retrying) {
                let app: Int64 = try row[0]
                retrying[app] = try row[1]
            }
            return try db.rows(sql: Self.waiting).map { row in
                let app: Int64 = try row[0]
                let waiting: Int64 = try row[1]
                // Two statements may see two moments where the engine reads so: none is less than nothing.
                let tried = min(retrying[app] ?? 0, waiting)
                return Queue(
                    app: AppID(rawValue: app), pending: Int(waiting - tried), retrying: Int(tried),
                    oldest: WallMoment(millisecondsSince1970: try row[2]),
                    nextDue: (try row[3] as Int64?).map { WallTime(secondsSince1970: $0) })
            }
        }
    }

    /// Deliveries that have not ended, by state.
    package func deliveries() throws(StoreError) -> [DeliveryState: Int] {
        try connection.read("count deliveries") { db in
            var counts: [DeliveryState: Int] = [:]
            let sql = "SELECT state, count(*) FROM delivery WHERE \(DeliveryRow.isLive) GROUP BY state"
            for row in try db.rows(sql: sql) {
                let state = try DeliveryRow.state(try row[0])
                counts[state] = Int(try row[1] as Int64)
            }
            return counts
        }
    }

    /// By the index of open parts; a delivery's row is looked up once for each.
    static let waiting = """
        SELECT p.app_id, CAST(sum(p.waiting) AS BIGINT), min(coalesce(d.started_ms, d.created_ms)), min(p.next_due)
        FROM part_progress p JOIN delivery d ON d.id = p.delivery_id
        WHERE p.is_open = 1 GROUP BY p.app_id ORDER BY p.app_id
        """

    static let retrying = """
        SELECT t.app_id, CAST(sum(t.count) AS BIGINT)
        FROM delivery d JOIN tally t ON t.delivery_id = d.id
        WHERE d.\(DeliveryRow.isLive) AND t.state = \(StateCode.retrying) GROUP BY t.app_id
        """
}
