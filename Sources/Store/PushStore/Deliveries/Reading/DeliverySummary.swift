package import PushModel

/// What a list or a progress display shows of a delivery: all but what is sent, and to whom.
package struct DeliverySummary: Equatable, Sendable {
    package var id: DeliveryID
    package var label: String
    package var service: ServiceID
    package var state: DeliveryState
    package var counts: DeliveryCounts
    package var created: WallMoment
    /// When preparation began.
    package var started: WallMoment?
    package var finished: WallMoment?
    package var expiresAt: WallTime
    /// Days that its messages are kept by its own order; nil: as the setting says.
    package var retentionDays: Int?
    /// Since when its messages are removed: it has its counts, and no log; nil: they are there.
    package var removed: WallMoment?
    /// Single messages may join it, or could, until then; nil: they could not.
    package var openUntil: WallTime?
    /// Whether rows that ``counts`` are worked out from cannot be right; `delivery recount` mends them.
    package var isMiscounted = false

    /// Messages that were tried to their end, by the time from start to finish, or to `now` while it runs;
    /// nil before the start and where no time has passed.
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

    /// From rows of ``selection``, with the counts of each.
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
