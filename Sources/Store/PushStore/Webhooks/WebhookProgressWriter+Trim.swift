package import PushModel

/// Limits for the amount of data that is kept for receivers that do not take their events.
package struct OutboxBounds: Equatable, Sendable {
    /// Records from before this time are deleted.
    package var oldest: WallMoment
    package var maxBytes: Int64

    package init(oldest: WallMoment, maxBytes: Int64) {
        self.oldest = oldest
        self.maxBytes = maxBytes
    }
}

/// The result of one call of ``WebhookProgressWriter/trim(_:)``.
package struct TrimStep: Equatable, Sendable {
    package var records = 0
    /// For each receiver, by name, the number of its events that were removed before it took them.
    package var dropped: [String: Int64] = [:]
    package var hasMore = false
    package init() {}
}

extension WebhookProgressWriter {
    /// The maximum number of records per call. Other writers wait while a call runs.
    static let recordsPerCall = 250

    /// Removes the oldest records that every receiver has taken, or that are too old or exceed the size
    /// limit. In the last two cases, receivers that have not taken these records never receive them.
    package func trim(_ bounds: OutboxBounds) throws(StoreError) -> TrimStep {
        try connection.write("remove delivered events") { db in
            var step = TrimStep()
            let total = try db.value(
                Int64.self, sql: "SELECT bytes FROM webhook_outbox WHERE host = ?1",
                arguments: [EventRecord.host])
            guard let total else { return step }
            let records = try OldRecord.first(Self.recordsPerCall, db)
            guard !records.isEmpty else { return step }
            let forced = records.prefix {
                $0.recorded < bounds.oldest || $0.bytes <= total.clampedDifference(bounds.maxBytes)
            }.last?.number
            if let forced { step.dropped = try Self.drop(upTo: forced, records, db) }
            let cursors = try db.values(
                Int64.self, sql: "SELECT number FROM webhook_cursor WHERE host = ?1",
                arguments: [EventRecord.host])
            let taken = cursors.min() ?? .max
            guard let last = records.prefix(while: { $0.number <= taken }).last else { return step }
            step.records = try db.execute(
                sql: "DELETE FROM webhook_event WHERE host = ?1 AND number <= ?2",
                arguments: [EventRecord.host, last.number])
            step.hasMore = step.records == Self.recordsPerCall
            return step
        }
    }

    /// Moves to `end` all cursors that have not yet reached it.
    private static func drop(upTo end: Int64, _ records: [OldRecord], _ db: any Session) throws
        -> [String: Int64]
    {
        var dropped: [String: Int64] = [:]
        let services = try AppServices(db)
        for webhook in try Webhook.all(db) where webhook.progress.cursor < end {
            var lost: Int64 = 0
            for record in records where record.number <= end && record.number > webhook.progress.cursor {
                guard webhook.order.kinds.contains(record.kind),
                    try services.matches(webhook.order.service, record.app)
                else { continue }
                let behind = record.number.clampedDifference(webhook.progress.cursor)
                lost = lost.clampedSum(min(record.count, behind))
            }
            try db.execute(
                sql: """
                    UPDATE webhook_cursor SET number = ?3, batch_end = NULL WHERE webhook_id = ?1 AND host = \
                    ?2
                    """,
                arguments: [webhook.id.rawValue, EventRecord.host, end])
            guard lost > 0 else { continue }
            dropped[webhook.order.name] = lost
            try db.execute(
                sql: "UPDATE webhook SET dropped = dropped + ?2 WHERE id = ?1",
                arguments: [webhook.id.rawValue, lost])
        }
        return dropped
    }
}

/// The key data of a record, without its events.
private struct OldRecord {
    var number: Int64
    var bytes: Int64
    var kind: WebhookEventKind
    var app: AppID
    var recorded: WallMoment
    var count: Int64

    static func first(_ limit: Int, _ db: any Session) throws -> [OldRecord] {
        try db.rows(sql: HotSQL.oldestEvents, arguments: [EventRecord.host, limit]).map { row in
            guard let kind = WebhookEventKind(rawValue: try row["kind"]) else { throw UnreadableValue() }
            return OldRecord(
                number: try row["number"], bytes: try row["bytes"], kind: kind,
                app: AppID(rawValue: try row["app_id"]),
                recorded: WallMoment(millisecondsSince1970: try row["recorded_ms"]), count: try row["count"])
        }
    }
}

/// The names of apps and of their services, looked up when they are needed.
final class AppServices {
    typealias Names = (app: String, service: String)

    private let db: any Session
    private var known: [AppID: Names] = [:]

    init(_ db: any Session) throws { self.db = db }

    /// - Returns: `nil` if there never was such an app.
    func names(of app: AppID) throws -> Names? {
        if let names = known[app] { return names }
        let row = try db.row(
            sql: """
                SELECT a.name, s.name AS service FROM app a JOIN service s ON s.id = a.service_id WHERE a.id \
                = ?1
                """,
            arguments: [app.rawValue])
        guard let row else { return nil }
        let names: Names = (app: try row["name"], service: try row["service"])
        known[app] = names
        return names
    }

    /// - Parameter service: `nil` matches every service.
    func matches(_ service: String?, _ app: AppID) throws -> Bool {
        guard let service else { return true }
        return try names(of: app)?.service == service
    }
}

extension HotSQL {
    /// ?1 host, ?2 limit.
    static let oldestEvents = """
        SELECT number, bytes, kind, app_id, recorded_ms, count FROM webhook_event WHERE host = ?1
        ORDER BY number LIMIT ?2
        """
}
