internal import PushModel

/// The values of a delivery's row that preparation needs.
struct PreparationPlan {
    /// The progress of preparation. All of it is stored in the row, so that it survives any interruption.
    struct Cursor {
        /// The index into the delivery's apps.
        var app: Int
        /// The page of listed values, and the index of the value within the page.
        var page: Int
        var value: Int
        /// The last subscription that was taken for this app and this value; 0 if there is none.
        var subscription: Int64

        mutating func advanceApp() { self = Cursor(app: app + 1, page: 0, value: 0, subscription: 0) }
        mutating func advancePage() { self = Cursor(app: app, page: page + 1, value: 0, subscription: 0) }
        /// Advances beyond a part: see ``SentMessages``.
        mutating func finish(_ part: PartID) {
            self = Cursor(app: app, page: 0, value: 0, subscription: part.rawValue)
        }
        mutating func advanceValue() {
            self = Cursor(app: app, page: page, value: value + 1, subscription: 0)
        }
    }

    var delivery: DeliveryID
    var service: ServiceID
    /// The frequency cap; `nil` if there is none or the delivery ignores it.
    var frequencyCap: FrequencyCap?
    /// Whether this delivery's messages count toward the cap when other deliveries respect it.
    var isCounted = false
    var apps: [AppID]
    var target: StoredTarget
    var parameters: String?
    /// The details of ``StoredTarget/detailed``.
    var details: TargetDetails?
    /// The target, if its lists are not in the store.
    var lists: Target?
    /// The list of recipients, if it is very long and not in the store.
    var draft: RecipientDraft?
    /// The recipients that the target excludes, if its lists are not in the store.
    var exclusions: TargetExclusions?
    var cursor: Cursor
    var lastOrdinal: Int64
    var priority: DeliveryPriority
    /// The end of the delivery's validity, which also applies to the delivery's parts.
    var expiresAt: WallTime
    /// The calendar with the due times of recipients; `nil` if all are due now.
    var calendar: DeliveryCalendar?
    /// The start of the delivery, from which the times of the calendar are calculated, and to which relative
    /// dates in the target refer.
    var begin = WallTime(secondsSince1970: 0)
    /// The time at which preparation began; `nil` if it has not begun.
    var started: WallTime?
    /// Whether any preparation is left to do.
    var isUnfinished: Bool
    /// Whether the row states that preparation is complete although some of it is left to do.
    var contradictsItself: Bool
    /// The members of the earlier deliveries that the target combines with other sets; `nil` if they are not
    /// needed, or not known yet.
    var groups: SentGroups?
    /// Whether listed recipients that no subscription has are counted. Counting needs additional look-ups.
    var countsUnknown = false

    static func load(_ delivery: DeliveryID, _ db: any Session) throws -> PreparationPlan? {
        guard
            let row = try db.row(
                sql: """
                    SELECT apps, target, target_parameters, app_cursor, page_cursor, value_cursor, \
                    subscription_cursor,
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
        // The JSON is checked here, because SQLite reports invalid JSON with the same code as any mistake in
        // a statement.
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
            lastOrdinal < maxMessages
        else {
            throw UnreadableValue()
        }
        let written: String? = try row["frequency_cap"]
        let cap = written.flatMap { FrequencyCap($0) }
        // An unreadable cap must not be treated as no cap.
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
            contradictsItself: !isPrepared && state == .inProgress && openUntil == nil, countsUnknown: true)
    }

    /// The maximum number of messages in a delivery. A delivery that claims to have more is damaged.
    private static let maxMessages: Int64 = 1 << 40
}

extension PreparationPlan {
    /// Creates the plan of a delivery that is not in the store, to determine which recipients it would reach.
    /// - Parameter draft: The list of a target whose list is not in the store.
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
