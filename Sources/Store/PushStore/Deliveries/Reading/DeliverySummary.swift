package import PushModel

/// The part of a delivery that a list or a progress display shows: everything except its content and its
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
    /// The number of days for which its messages are kept, according to its own order; `nil` if the setting
    /// applies.
    package var retentionDays: Int?
    /// The time since which its messages are removed, so that it has its counts and no log; `nil` if the
    /// messages exist.
    package var removed: WallMoment?
    /// The time until which single messages may or could join the delivery; `nil` if they could not.
    package var openUntil: WallTime?
    /// Whether rows from which ``counts`` are calculated cannot be right; `delivery recount` repairs them.
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

    /// Returns the summaries of rows of ``selection``, with the counts of each.
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
