package import PushModel

/// The deliveries that have not ended.
package struct LiveDeliveries: Equatable, Sendable {
    /// Those that have begun, the newest first.
    package var running: [DeliverySummary] = []
    /// The number of all that have begun.
    package var runningCount = 0
    /// Those that have not begun: those with a start time, the next one first, then those that begin at once.
    package var scheduled: [DeliverySummary] = []
    /// The number of all that have not begun.
    package var scheduledCount = 0
    /// The start of each delivery in ``scheduled`` that waits for its start.
    package var starts: [DeliveryID: WallTime] = [:]
}

extension DeliveryReader {
    private static let hasBegun = "started_ms IS NOT NULL"
    private static let hasNotBegun = "started_ms IS NULL"

    /// Returns the deliveries that have not ended, however old they are. An index contains only these.
    /// - Parameter limit: The maximum number of deliveries of each kind.
    package func live(limit: Int) throws(StoreError) -> LiveDeliveries {
        try connection.read("list deliveries that have not ended") { db in
            var live = LiveDeliveries()
            live.runningCount = try count(Self.hasBegun, db)
            live.scheduledCount = try count(Self.hasNotBegun, db)
            // The plus keeps the planner from reading all deliveries in the order of their ids.
            live.running = try summaries(Self.hasBegun, "+id DESC", limit, db)
            live.scheduled = try summaries(Self.hasNotBegun, "start_at IS NULL, start_at, +id", limit, db)
            for delivery in live.scheduled {
                let start = try db.value(
                    Int64.self, sql: "SELECT coalesce(start_at, 0) FROM delivery WHERE id = ?1",
                    arguments: [delivery.id.rawValue])
                if let start, start > 0 {
                    live.starts[delivery.id] = WallTime(secondsSince1970: start)
                }
            }
            return live
        }
    }

    private func condition(_ condition: String) -> String {
        [DeliveryRow.isLive, condition, bounds.condition("service_id")].compactMap(\.self)
            .joined(separator: " AND ")
    }

    private func count(_ kind: String, _ db: any Session) throws -> Int {
        try db.value(Int.self, sql: "SELECT count(*) FROM delivery WHERE \(condition(kind))") ?? 0
    }

    private func summaries(
        _ kind: String, _ order: String, _ limit: Int, _ db: any Session
    ) throws -> [DeliverySummary] {
        let rows = try db.rows(
            sql: "\(DeliverySummary.selection) WHERE \(condition(kind)) ORDER BY \(order) LIMIT ?1",
            arguments: [limit])
        return try DeliverySummary.all(rows, db)
    }
}
