internal import PushModel

/// What preparation needs of a delivery's row.
struct PreparationPlan {
    /// How far preparation is: all of it stands in the row, so that it survives anything.
    struct Cursor {
        /// Index into the delivery's apps.
        var app: Int
        /// Page of listed values, and index of the value within it.
        var page: Int
        var value: Int
        /// The last subscription taken, of this app and this value; 0 is none.
        var subscription: Int64

        mutating func advanceApp() { self = Cursor(app: app + 1, page: 0, value: 0, subscription: 0) }
        mutating func advancePage() { self = Cursor(app: app, page: page + 1, value: 0, subscription: 0) }
        /// To what follows a part: see ``SentMessages``.
        mutating func finish(_ part: PartID) {
            self = Cursor(app: app, page: 0, value: 0, subscription: part.rawValue)
        }
        mutating func advanceValue() {
            self = Cursor(app: app, page: page, value: value + 1, subscription: 0)
        }
    }

    var delivery: DeliveryID
    var service: ServiceID
    /// nil: there is none, or the delivery does not heed it.
    var frequencyCap: FrequencyCap?
    /// Whether its messages count for those that heed it.
    var isCounted = false
    var apps: [AppID]
    var target: StoredTarget
    var parameters: String?
    /// Of ``StoredTarget/detailed``.
    var details: TargetDetails?
    /// Where its lists are not in the store.
    var lists: Target?
    /// Likewise, of very many.
    var draft: RecipientDraft?
    /// Likewise: whom these leave out.
    var exclusions: TargetExclusions?
    var cursor: Cursor
    var lastOrdinal: Int64
    var priority: DeliveryPriority
    /// The end of the validity, which is that of its parts.
    var expiresAt: WallTime
    /// When whom; nil: everybody now.
    var calendar: DeliveryCalendar?
    /// What its times are reckoned from.
    var begin = WallTime(secondsSince1970: 0)
    /// When its preparation began; nil: it has not.
    var started: WallTime?
    /// Whether there is preparation left to do at all.
    var isUnfinished: Bool
    /// Whether it claims to be prepared to its end, and that there is preparation left.
    var contradictsItself: Bool

    static func load(_ delivery: DeliveryID, _ db: any Session) throws -> PreparationPlan? {
        guard
            let row = try db.row(
                sql: """
                    SELECT apps, target, target_parameters, app_cursor, page_cursor, value_cursor, subscription_cursor,
                        last_ordinal, state, prepared, expires_at, priority, open_until, stop_ms,
                        start_at, created_ms, started_ms, calendar, service_id,
                        (SELECT s.frequency_cap FROM service s WHERE s.id = service_id) AS frequency_cap
                    FROM delivery WHERE id = ?1
                    """,
                arguments: [delivery.rawValue])
        else { return nil }
        guard let target = StoredTarget(rawValue: try row["target"]) else { throw UnreadableValue() }
        let state = try DeliveryRow.state(row["state"], stop: row["stop_ms"])
        let isPrepared: Bool = try row["prepared"]
        let parameters: String? = try row["target_parameters"]
        // SQLite's word for what is no JSON is its word for any mistake in a statement.
        if target == .parameters { _ = try StoredJSON.decode([String: String].self, from: parameters ?? "") }
        let details = target == .detailed ? try TargetDetails.read(parameters) : nil
        let cursor = Cursor(
            app: try row["app_cursor"], page: try row["page_cursor"], value: try row["value_cursor"],
            subscription: try row["subscription_cursor"])
        let lastOrdinal: Int64 = try row["last_ordinal"]
        let created = WallMoment(millisecondsSince1970: try row["created_ms"]).time
        let start = (try row["start_at"] as Int64?).map(WallTime.init(secondsSince1970:)) ?? created
        let openUntil: Int64? = try row["open_until"]
        guard cursor.app >= 0, cursor.page >= 0, cursor.value >= 0, lastOrdinal >= 0,
            lastOrdinal < mostMessages
        else {
            throw UnreadableValue()
        }
        let written: String? = try row["frequency_cap"]
        let cap = written.flatMap { FrequencyCap($0) }
        // One that cannot be read is not none.
        guard written == nil || cap != nil else { throw UnreadableValue() }
        return PreparationPlan(
            delivery: delivery, service: ServiceID(rawValue: try row["service_id"]),
            frequencyCap: details?.ignoresFrequencyCap == true ? nil : cap, isCounted: cap != nil,
            apps: try StoredJSON.decode([Int64].self, from: row["apps"]).map(AppID.init(rawValue:)),
            target: target, parameters: parameters, details: details, cursor: cursor,
            lastOrdinal: lastOrdinal,
            priority: DeliveryRow.priority(ofRank: try row["priority"]),
            expiresAt: WallTime(secondsSince1970: try row["expires_at"]),
            calendar: try StoredJSON.calendar(row["calendar"]), begin: max(start, created),
            started: (try row["started_ms"] as Int64?).map { WallMoment(millisecondsSince1970: $0).time },
            isUnfinished: !isPrepared && (state == .startPending || state == .preparing),
            contradictsItself: !isPrepared && state == .inProgress && openUntil == nil)
    }

    /// No delivery has more: what claims to is damaged.
    private static let mostMessages: Int64 = 1 << 40
}

extension PreparationPlan {
    /// As of a delivery that is not in the store: to ask whom it would reach.
    /// - Parameter draft: of a target whose list is not in the store.
    init(asking target: Target, of apps: [AppID], listing draft: RecipientDraft? = nil) {
        self.init(
            delivery: DeliveryID(rawValue: 0), service: ServiceID(rawValue: 0), apps: apps, target: .detailed,
            parameters: nil,
            details: TargetDetails(target), lists: target, exclusions: TargetExclusions(of: target),
            cursor: Cursor(app: 0, page: 0, value: 0, subscription: 0), lastOrdinal: 0, priority: .normal,
            expiresAt: WallTime(secondsSince1970: 0), isUnfinished: true, contradictsItself: false)
        self.draft = draft
    }
}
