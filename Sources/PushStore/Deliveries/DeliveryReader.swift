internal import FoundationEssentials
internal import GRDB
package import PushModel

/// Shows deliveries.
package struct DeliveryReader: Sendable {
    let connection: Connection

    /// Newest first.
    /// - Parameters:
    ///   - before: the last id of the page before.
    ///   - limit: at most 5 000.
    package func list(before: DeliveryID? = nil, limit: Int = 100) throws(StoreError) -> [DeliverySummary] {
        try connection.read("list deliveries") { db in
            try Row.fetchAll(
                db, sql: "\(DeliverySummary.selection) WHERE id < ? ORDER BY id DESC LIMIT ?",
                arguments: [before?.rawValue ?? .max, max(0, min(limit, Connection.maximumRows))]
            ).map(DeliverySummary.init(row:))
        }
    }

    /// State and counts: one row, cheap enough to ask for many times a second.
    package func summary(of id: DeliveryID) throws(StoreError) -> DeliverySummary? {
        try connection.read("show a delivery") { db in
            try Row.fetchOne(db, sql: "\(DeliverySummary.selection) WHERE id = ?", arguments: [id.rawValue])
                .map(DeliverySummary.init(row:))
        }
    }

    /// All of a delivery, content and target included.
    package func delivery(_ id: DeliveryID) throws(StoreError) -> Delivery? {
        try connection.read("read a delivery", of: id) { db in
            guard
                let row = try Row.fetchOne(
                    db,
                    sql: "SELECT * FROM delivery JOIN delivery_content ON delivery_id = id WHERE id = ?",
                    arguments: [id.rawValue])
            else { return nil }
            let summary = try DeliverySummary(row: row)
            try Self.check(row)
            return Delivery(
                id: id, order: try order(from: row, db), state: summary.state, counts: summary.counts,
                createdAt: summary.created.time, startedAt: summary.started?.time,
                finishedAt: summary.finished?.time, expiresAt: summary.expiresAt)
        }
    }

    /// Numbers that no submission can have written would end who reckons with them.
    private static func check(_ row: Row) throws {
        let moments = [row["expires_at"], row["validity"], row["created_ms"], row["start_at"] ?? 0] as [Int64]
        let others = [row["rate"], row["retry_count"] ?? 0, row["retry_period"] ?? 0] as [Int64]
        guard moments.allSatisfy({ (0..<(1 << 50)).contains($0) }),
            others.allSatisfy({ (0..<(1 << 40)).contains($0) })
        else { throw UnreadableValue() }
    }

    private func order(from row: Row, _ db: Database) throws -> DeliveryOrder {
        var schedule = DeliverySchedule()
        schedule.start = (row["start_at"] as Int64?).map { WallTime(secondsSince1970: $0) }
        schedule.validitySeconds = row["validity"]
        schedule.priority = DeliveryRow.priority(ofRank: row["priority"])
        schedule.ratePerSecond = row["rate"]
        return DeliveryOrder(
            label: row["label"], service: ServiceID(rawValue: row["service_id"]),
            apps: try StoredJSON.decode([Int64].self, from: row["apps"]).map(AppID.init(rawValue:)),
            target: try target(from: row, db), schedule: schedule,
            retry: RetryOverride(count: row["retry_count"], periodSeconds: row["retry_period"]),
            tracking: row["tracking"], contentJSON: Array(row["content"] as Data))
    }

    private func target(from row: Row, _ db: Database) throws -> Target {
        func listed() throws -> [String] {
            try String.fetchAll(
                db, sql: "SELECT listed FROM delivery_target WHERE delivery_id = ? ORDER BY page",
                arguments: [row["id"] as Int64]
            ).flatMap { try StoredJSON.decode([String].self, from: $0) }
        }
        switch StoredTarget(rawValue: row["target"]) {
        case .all: return .all
        case .userKeys: return .userKeys(try listed())
        case .tokens: return .tokens(try listed())
        case .parameters:
            let wanted: String? = row["target_parameters"]
            return .parameters(try StoredJSON.decode([String: String].self, from: wanted ?? ""))
        case nil: throw UnreadableValue()
        }
    }
}
