internal import PushModel

/// The deliveries that single messages join: one for each service, priority and day (UTC). They allow
/// individually sent messages to be listed, counted, retried and removed like all others. Operates within the
/// caller's transaction.
///
/// Such a delivery is in progress from its first message on, and its preparation ends with its day. Until its
/// preparation ends, the delivery does not end, even if no messages wait (``DeliveryEnd``). A delivery on
/// hold accepts no more messages; another delivery is opened in addition to it.
struct OpenDeliveries {
    let db: any Session
    let now: WallMoment
    /// The name of the store in errors.
    let path: String

    /// The identity of the delivery that a message joins.
    struct Key: Hashable, Sendable {
        var service: ServiceID
        var priority: DeliveryPriority
        /// The time until which the delivery is open, in seconds since 1970.
        var openUntil: Int64
    }

    private static let secondsPerDay: Int64 = 86_400
    /// The maximum number of messages in a delivery. A delivery that claims to have more is damaged.
    private static let maxMessages: Int64 = 1 << 40

    static func key(of message: NewMessage, at now: WallMoment) -> Key {
        let seconds = now.time.secondsSince1970
        let day = seconds - (seconds % secondsPerDay + secondsPerDay) % secondsPerDay
        return Key(
            service: message.service.id, priority: message.priority, openUntil: day + secondsPerDay)
    }

    /// Adds messages to the count of the open delivery that they join. If there is no such delivery, opens
    /// one.
    /// - Parameters:
    ///   - known: The delivery that messages with this key last joined; `nil` if that delivery is not known.
    ///   - end: The latest end of the messages' validity, in seconds since 1970.
    ///   - app: The app of one of the messages.
    /// - Returns: The delivery, and the number of the first of the messages.
    func join(
        _ key: Key, named service: String, known: DeliveryID?, count: Int, end: Int64, app: AppID
    ) throws -> (delivery: DeliveryID, first: Int64) {
        if let known, let first = try join(known, count: count, end: end) { return (known, first) }
        let found = try db.value(
            Int64.self, sql: HotSQL.openDelivery,
            arguments: [key.openUntil, key.service.rawValue, DeliveryRow.rank(of: key.priority)])
        if let found {
            let delivery = DeliveryID(rawValue: found)
            try db.execute(
                sql: "UPDATE delivery SET expires_at = ?2 WHERE id = ?1 AND expires_at < ?2",
                arguments: [found, end])
            if let first = try join(delivery, count: count, end: end) { return (delivery, first) }
        }
        let delivery = try open(key, named: service, end: end, app: app)
        guard let first = try join(delivery, count: count, end: end) else { throw UnreadableValue() }
        return (delivery, first)
    }

    private func join(_ delivery: DeliveryID, count: Int, end: Int64) throws -> Int64? {
        let statement = try db.statement(HotSQL.joinOpenDelivery)
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        statement.bind(Int64(count), at: 2)
        statement.bind(now.time.secondsSince1970, at: 3)
        statement.bind(end, at: 4)
        guard try statement.next() else { return nil }
        let last = statement.integer(0)
        guard (Int64(count)...Self.maxMessages).contains(last) else {
            let what = "delivery \(delivery) cannot have \(last) messages"
            throw StoreError(.unsound(what: what), path: path).met(in: delivery)
        }
        return last - Int64(count) + 1
    }

    private func open(_ key: Key, named service: String, end: Int64, app: AppID) throws -> DeliveryID {
        let schedule = DeliverySchedule()
        let day = WallTime(secondsSince1970: key.openUntil - Self.secondsPerDay)
        let priority = key.priority == .normal ? "" : ", \(key.priority.rawValue)"
        let columns = ColumnValues([
            "label": "messages of \(service) \(WallMoment(day).dayText)\(priority)",
            "service_id": key.service.rawValue,
            "apps": StoredJSON.encode([app.rawValue]),
            "target": StoredTarget.tokens.rawValue,
            "validity": schedule.validitySeconds,
            // Far enough in the future that most messages do not need a later end.
            "expires_at": max(end, key.openUntil + schedule.validitySeconds + Self.secondsPerDay),
            "priority": DeliveryRow.rank(of: key.priority),
            "rate": 0,
            "tracking": true,
            "created_ms": now.millisecondsSince1970,
            "started_ms": now.millisecondsSince1970,
            "state": DeliveryState.inProgress.rawValue,
            "open_until": key.openUntil,
        ])
        let id = try db.insert("INSERT INTO delivery \(columns.insertion)", columns.arguments)
        try db.execute(
            sql: "INSERT INTO delivery_content (delivery_id, content) VALUES (?1, ?2)",
            arguments: [id, Array("{}".utf8)])
        return DeliveryID(rawValue: id)
    }

    /// Binds the delivery's contents for this app and revision to that revision. Must be called when the
    /// delivery receives its first message for the revision.
    func bind(_ addressee: NewMessage.Addressee, to delivery: DeliveryID) throws {
        let (app, revision) = (addressee.app.rawValue, addressee.revision.rawValue)
        let isNew = try db.execute(
            sql: """
                INSERT INTO delivery_app (delivery_id, app_id, revision_id) VALUES (?1, ?2, ?3) ON CONFLICT \
                DO NOTHING
                """,
            arguments: [delivery.rawValue, app, revision])
        try db.run(
            sql: """
                INSERT INTO message_revision (delivery_id, revision_id, app_id, bound_id) VALUES (?1, ?2, \
                ?3, ?2)
                ON CONFLICT DO NOTHING
                """,
            arguments: [delivery.rawValue, revision, app])
        guard isNew == 1 else { return }
        let list = try db.value(
            String.self, sql: "SELECT apps FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
        let apps = try StoredJSON.decode([Int64].self, from: list ?? "")
        guard !apps.contains(app) else { return }
        try db.run(
            sql: "UPDATE delivery SET apps = ?2 WHERE id = ?1",
            arguments: [delivery.rawValue, StoredJSON.encode(apps + [app])])
    }

    private static let closedPerCall = 100

    /// Closes the deliveries whose day is over.
    /// - Returns: The deliveries that have ended as a result.
    func closeEnded() throws -> [DeliveryID] {
        let ids = try db.values(
            Int64.self, sql: HotSQL.toClose, arguments: [now.time.secondsSince1970, Self.closedPerCall])
        return try ids.map(DeliveryID.init(rawValue:)).filter { delivery in
            try db.execute(
                sql: "UPDATE delivery SET prepared = 1 WHERE id = ?1 AND \(DeliveryRow.isOpen)",
                arguments: [delivery.rawValue])
            return try DeliveryEnd.finishIfDone(delivery, at: now, db)
        }
    }
}
