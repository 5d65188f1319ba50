internal import FoundationEssentials
package import PushModel
internal import PushQueue

/// Reads deliveries.
package struct DeliveryReader: Sendable {
    let connection: Connection
    /// The services whose deliveries exist for the caller.
    var bounds = ServiceBounds.unbound

    /// Returns a delivery's state and counts. The call reads only a few rows, so it can be made many times a
    /// second.
    package func summary(of id: DeliveryID) throws(StoreError) -> DeliverySummary? {
        try connection.read("show a delivery", of: id) { db in
            let rows = try db.rows(
                sql: "\(DeliverySummary.selection) WHERE id = ?1", arguments: [id.rawValue])
            return try DeliverySummary.all(rows, db).first { bounds.admit($0.service) }
        }
    }

    /// Returns the whole delivery, including its content and target.
    package func delivery(_ id: DeliveryID) throws(StoreError) -> Delivery? {
        try connection.read("read a delivery", of: id) { db in
            guard
                let row = try db.row(
                    sql: "SELECT * FROM delivery JOIN delivery_content ON delivery_id = id WHERE id = ?1",
                    arguments: [id.rawValue])
            else { return nil }
            guard bounds.admit(ServiceID(rawValue: try row["service_id"])),
                let summary = try DeliverySummary.all([row], db).first
            else { return nil }
            try Self.check(row)
            var delivery = Delivery(
                id: id, order: try order(from: row, db), state: summary.state, counts: summary.counts,
                createdAt: summary.created.time, startedAt: summary.started?.time,
                finishedAt: summary.finished?.time, expiresAt: summary.expiresAt)
            delivery.unknownRecipients = try Self.unknownRecipients(row)
            delivery.listedDevices = try Self.listedDevices(row, delivery)
            return delivery
        }
    }

    private static func unknownRecipients(_ row: Row) throws -> Int? {
        let isPrepared: Bool = try row["prepared"]
        guard isPrepared, let target = StoredTarget(rawValue: try row["target"]) else { return nil }
        return try UnknownRecipients.count(in: try row["target_parameters"], of: target)
    }

    private static func listedDevices(_ row: Row, _ delivery: Delivery) throws -> Int? {
        guard delivery.unknownRecipients != nil, let target = StoredTarget(rawValue: try row["target"])
        else { return nil }
        guard target == .detailed else { return delivery.counts.targeted + delivery.counts.excluded }
        return try UnknownRecipients.devices(in: try row["target_parameters"], of: target)
    }

    /// Returns the recipients that the target of a delivery lists, in order, with the values of variables
    /// that were given for each. Recipients in a list that was submitted separately from the delivery's
    /// document are not included.
    package func listed(by id: DeliveryID) throws(StoreError) -> [ListedRecipient] {
        try connection.read("read a delivery's recipients", of: id) { db in
            let rows = try db.rows(
                sql: TargetPages.selection, arguments: TargetPages.arguments(.base, of: id))
            return try rows.flatMap { row in
                let values = try StoredJSON.decode([String].self, from: row["listed"])
                guard let bytes: [UInt8] = try row["variables"] else {
                    return values.map { ListedRecipient($0) }
                }
                guard let block = try? VariableBlock(decoding: bytes, count: values.count) else {
                    throw UnreadableValue()
                }
                return values.enumerated().map { ListedRecipient($1, variables: Array(block[$0])) }
            }
        }
    }

    /// Refuses numbers that no submission can have written, because calculating with them would crash the
    /// process.
    private static func check(_ row: Row) throws {
        let moments =
            [try row["expires_at"], try row["validity"], try row["created_ms"], try row["start_at"] ?? 0]
            as [Int64]
        let others = [try row["rate"], try row["retry_count"] ?? 0, try row["retry_period"] ?? 0] as [Int64]
        guard moments.allSatisfy({ (0..<(1 << 50)).contains($0) }),
            others.allSatisfy({ (0..<(1 << 40)).contains($0) })
        else { throw UnreadableValue() }
    }

    /// Returns the result of an earlier request with this key; `nil` if there was none in the last day.
    package func submission(of key: IdempotencyKey, at now: WallMoment) throws(StoreError) -> KeyedSubmission?
    {
        try connection.read("look for a request") { db in
            try DeliveryIdempotency(db: db, now: now.time).submission(of: key)
        }
    }

    /// Returns the revision of this app to which the delivery is bound, usually the app as it was at the time
    /// of submission; `nil` if the delivery is not for the app.
    package func revision(of app: AppID, in delivery: DeliveryID) throws(StoreError) -> AppRevision? {
        try connection.read("read the app revision of a delivery") { db in
            try db.row(
                sql: """
                    SELECT r.* FROM delivery_app x JOIN app_revision r ON r.id = x.revision_id
                    WHERE x.delivery_id = ?1 AND x.app_id = ?2
                    """,
                arguments: [delivery.rawValue, app.rawValue]
            ).map { try AppRevision(row: $0) }
        }
    }

    /// Returns a delivery that is being sent. Missing data is treated as damage, and only this delivery is
    /// put on hold.
    package func whole(_ id: DeliveryID) throws(StoreError) -> Delivery {
        guard let delivery = try delivery(id) else {
            throw StoreError(.unsound(what: "delivery \(id) has no content"), path: connection.path).met(
                in: id)
        }
        return delivery
    }

    /// Returns the revision of this app to which a delivery that is being sent is bound. A missing binding is
    /// treated as damage.
    package func boundRevision(of app: AppID, in id: DeliveryID) throws(StoreError) -> AppRevision {
        guard let revision = try revision(of: app, in: id) else {
            let what = "delivery \(id) is not bound to a revision of app \(app)"
            throw StoreError(.unsound(what: what), path: connection.path).met(in: id)
        }
        return revision
    }

    private func order(from row: Row, _ db: any Session) throws -> DeliveryOrder {
        var schedule = DeliverySchedule()
        schedule.start = (try row["start_at"] as Int64?).map { WallTime(secondsSince1970: $0) }
        schedule.validitySeconds = try row["validity"]
        schedule.priority = DeliveryRow.priority(ofRank: try row["priority"])
        schedule.ratePerSecond = try row["rate"]
        let days: Int64 = try row["retention_days"]
        schedule.retentionDays = days < 0 ? nil : Int(days)
        schedule.calendar = try StoredJSON.calendar(row["calendar"])
        var order = DeliveryOrder(
            label: try row["label"], service: ServiceID(rawValue: try row["service_id"]),
            apps: try StoredJSON.decode([Int64].self, from: row["apps"]).map(AppID.init(rawValue:)),
            target: try target(from: row, db), schedule: schedule,
            retry: RetryOverride(count: try row["retry_count"], periodSeconds: try row["retry_period"]),
            tracking: try row["tracking"], contentJSON: try row["content"])
        if let name: String = try row["template"], let version: Int64 = try row["template_version"] {
            order.template = TemplateVersion(name: name, version: version)
        }
        return order
    }

    private func target(from row: Row, _ db: any Session) throws -> Target {
        let delivery = DeliveryID(rawValue: try row["id"])
        func listed(_ list: TargetPages.List = .base) throws -> [String] {
            try TargetPages.read(list, of: delivery, db)
        }
        switch StoredTarget(rawValue: try row["target"]) {
        case .all: return .all
        case .userKeys: return .userKeys(try listed())
        case .tokens: return .tokens(try listed())
        case .parameters:
            let wanted: String? = try row["target_parameters"]
            return .parameters(try StoredJSON.decode([String: String].self, from: wanted ?? ""))
        case .detailed:
            return try TargetDetails.read(row["target_parameters"]).target(
                listed: try listed(),
                excluding: Target.Exclusion(
                    userKeys: try listed(.excludedUserKeys), tokens: try listed(.excludedTokens)),
                inSet: { try listed(.set($0)) })
        case nil: throw UnreadableValue()
        }
    }
}
