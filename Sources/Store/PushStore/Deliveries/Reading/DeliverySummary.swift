package import PushModel

/// The properties of a delivery that a list or a progress display shows: all except the content and the
/// recipients.
package struct DeliverySummary: Equatable, Sendable {
    package var id: DeliveryID
    package var label: String
    package var service: ServiceID
    package var state: DeliveryState
    package var counts: DeliveryCounts
    package var created: WallMoment
    /// The time when preparation began.
    package var started: WallMoment?
    package var finished: WallMoment?
    package var expiresAt: WallTime
    /// The number of days for which the delivery's messages are kept, according to its order; `nil` if the
    /// setting applies.
    package var retentionDays: Int?
    /// The time when the delivery's messages were removed; `nil` if they exist. A delivery whose messages
    /// were removed has counts but no log.
    package var removed: WallMoment?
    /// The time until which single messages can join the delivery, or could if the time has passed; `nil` if
    /// the delivery is not for single messages.
    package var openUntil: WallTime?
    /// Whether a row from which ``counts`` is calculated contains impossible values. `delivery recount`
    /// repairs such rows.
    package var isMiscounted = false

    /// Returns the number of messages that reached their final result, divided by the time from start to
    /// finish, or to `now` while the delivery runs. `nil` before the start, and if no time has passed.
    package func messagesPerSecond(at now: WallMoment) -> Double? {
        guard let started else { return nil }
        let seconds = (finished ?? now).seconds(since: started)
        return seconds > 0 ? (Double(counts.sent) + Double(counts.failed)) / seconds : nil
    }
}

extension DeliverySummary {
    static let selection = """
        SELECT id, label, service_id, state, created_ms, started_ms, finished_ms, expires_at, last_ordinal,
            retention_days, removed_ms, open_until, stop_ms
        FROM delivery
        """

    /// Returns the summaries for rows that ``selection`` returned, each with its counts.
    static func all(_ rows: [Row], _ db: any Session) throws -> [DeliverySummary] {
        let prepared = Dictionary(
            try rows.map { (DeliveryID(rawValue: try $0["id"]), try $0["last_ordinal"] as Int64) },
            uniquingKeysWith: { first, _ in first })
        let counts = try TallyTable(db: db).counts(of: prepared)
        return try rows.map { row in
            try DeliverySummary(
                row: row, counts: counts[DeliveryID(rawValue: try row["id"])] ?? TalliedCounts())
        }
    }

    private init(row: Row, counts: TalliedCounts) throws {
        func moment(_ column: String) throws -> WallMoment? {
            (try row[column] as Int64?).map { WallMoment(millisecondsSince1970: $0) }
        }
        let days: Int64 = try row["retention_days"]
        self.init(
            id: DeliveryID(rawValue: try row["id"]), label: try row["label"],
            service: ServiceID(rawValue: try row["service_id"]),
            state: try DeliveryRow.state(row["state"], stop: row["stop_ms"]), counts: counts.counts,
            created: WallMoment(millisecondsSince1970: try row["created_ms"]),
            started: try moment("started_ms"), finished: try moment("finished_ms"),
            expiresAt: WallTime(secondsSince1970: try row["expires_at"]),
            retentionDays: days < 0 ? nil : Int(days), removed: try moment("removed_ms"),
            openUntil: (try row["open_until"] as Int64?).map(WallTime.init(secondsSince1970:)),
            isMiscounted: !counts.isSound)
    }
}
