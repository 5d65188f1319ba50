internal import FoundationEssentials
package import PushModel

/// Accepts deliveries.
package struct DeliverySubmitter: Sendable {
    let connection: Connection

    /// Submits a delivery. When this returns, the delivery is on disk and bound to the current revisions of
    /// its apps (``AppRevision``). Repeated apps and repeated listed values count once. Refuses an unknown
    /// app and a list longer than `Target.maximumListed`.
    /// - Parameters:
    ///   - revisions: The revisions against which the order was checked. If an app has a different revision
    ///     by now, the call fails with ``StoreError/Cause/changedMeanwhile(app:)``, because only what was
    ///     checked may be sent.
    ///   - draft: The draft that becomes this delivery. It is removed in the same transaction, so that it
    ///     becomes at most one delivery. Refused if the draft has another version by now, or is gone.
    package func submit(
        _ order: DeliveryOrder, checkedAgainst revisions: [AppID: AppRevisionID] = [:],
        from draft: DraftVersion? = nil, at now: WallMoment
    ) throws(StoreError) -> DeliveryID {
        try checkLists(of: order)
        return try connection.write("submit a delivery") { db in
            try take(draft, db)
            return try insert(order, checkedAgainst: revisions, at: now, db)
        }
    }

    private func take(_ draft: DraftVersion?, _ db: any Session) throws {
        guard let draft else { return }
        guard let present = try StoredDraft.find(draft.id, db) else {
            throw StoreError(.unknown(.draft, name: "\(draft.id)"), path: connection.path)
        }
        guard present.version == draft.version else {
            throw StoreError(.changedDraft(draft.id), path: connection.path)
        }
        try db.execute(sql: "DELETE FROM draft WHERE id = ?1", arguments: [draft.id])
    }

    /// Submits a delivery for a request that may be repeated. There is only one delivery, however often the
    /// request is repeated within a day, and however many callers send it at the same time. The delivery and
    /// the key are committed together.
    /// - Parameter warnings: The warnings about the delivery. They are returned again if the request is
    ///   repeated.
    package func submit(
        _ order: DeliveryOrder, checkedAgainst revisions: [AppID: AppRevisionID] = [:],
        once key: IdempotencyKey, from draft: DraftVersion? = nil, warnings: [String], at now: WallMoment
    ) throws(StoreError) -> KeyedSubmission {
        try checkLists(of: order)
        return try connection.write("submit a delivery") { db in
            let keys = DeliveryIdempotency(db: db, now: now.time)
            if let earlier = try keys.submission(of: key) { return earlier }
            try take(draft, db)
            let id = try insert(order, checkedAgainst: revisions, at: now, db)
            try keys.note(key, id, warnings: warnings)
            return .accepted(id)
        }
    }

    private func checkLists(of order: DeliveryOrder) throws(StoreError) {
        let target = order.target
        let lists = [target.listedOnce, target.excluded(.userKeys), target.excluded(.tokens)]
        let inSets = target.listsInSets.reduce(0) { $0 + $1.count }
        guard let count = (lists.map(\.count) + [inSets]).max(), count > Target.maximumListed else { return }
        throw StoreError(
            .limitReached(
                what: "a delivery can list at most \(Target.maximumListed) values; this one has \(count)"),
            path: connection.path)
    }

    private func insert(
        _ order: DeliveryOrder, checkedAgainst revisions: [AppID: AppRevisionID], at now: WallMoment,
        _ db: any Session
    ) throws -> DeliveryID {
        if let fault = try SourceDelivery.fault(of: order.target, service: order.service, db) {
            throw StoreError(.unfitTarget(what: fault), path: connection.path)
        }
        var seen = Set<AppID>()
        let apps = order.apps.filter { seen.insert($0).inserted }
        let bound = try apps.map { try revision(of: $0, checkedAgainst: revisions, db) }
        let id = try insertRow(order, apps: apps, at: now, db)
        if case .list(let list) = order.target.base, try !RecipientLists(db: db).bind(list, to: id) {
            throw StoreError(.unfitTarget(what: RecipientListWriter.gone), path: connection.path)
        }
        for (app, revision) in zip(apps, bound) {
            try db.execute(
                sql: "INSERT INTO delivery_app (delivery_id, app_id, revision_id) VALUES (?1, ?2, ?3)",
                arguments: [id.rawValue, app.rawValue, revision])
        }
        try db.execute(
            sql: "INSERT INTO delivery_content (delivery_id, content) VALUES (?1, ?2)",
            arguments: [id.rawValue, order.contentJSON])
        let target = order.target
        try TargetPages.write(target.listedOnce, as: .base, saying: target.variables, of: id, db)
        try TargetPages.write(target.excluded(.userKeys), as: .excludedUserKeys, of: id, db)
        try TargetPages.write(target.excluded(.tokens), as: .excludedTokens, of: id, db)
        for (number, list) in target.listsInSets.enumerated() {
            try TargetPages.write(list, as: .set(number), of: id, db)
        }
        return id
    }

    private func revision(
        of app: AppID, checkedAgainst revisions: [AppID: AppRevisionID], _ db: any Session
    ) throws -> Int64 {
        let present = try db.row(
            sql: "SELECT name, current_revision FROM app WHERE removed_at IS NULL AND id = ?1",
            arguments: [app.rawValue])
        guard let present else { throw StoreError(.unknown(.app, name: "\(app)"), path: connection.path) }
        let revision: Int64 = try present["current_revision"]
        if let checked = revisions[app], checked.rawValue != revision {
            throw StoreError(.changedMeanwhile(app: try present["name"]), path: connection.path)
        }
        return revision
    }

    private func insertRow(
        _ order: DeliveryOrder, apps: [AppID], at now: WallMoment, _ db: any Session
    ) throws -> DeliveryID {
        let begin = max(order.schedule.start ?? now.time, now.time)
        let target = StoredTarget(order.target)
        let parameters: String? =
            switch (target, order.target.base) {
            case (.detailed, _): try StoredJSON.encode(TargetDetails(order.target))
            case (_, .parameters(let wanted)): try StoredJSON.encode(wanted)
            default: nil
            }
        let calendar: String? = try order.schedule.calendar.map { try StoredJSON.encode($0) }
        let columns = ColumnValues([
            "label": order.label,
            "service_id": order.service.rawValue,
            "apps": StoredJSON.encode(apps.map(\.rawValue)),
            "target": target.rawValue,
            "target_parameters": parameters,
            "start_at": order.schedule.start?.secondsSince1970,
            "validity": order.schedule.validitySeconds,
            "expires_at": begin.advanced(bySeconds: order.schedule.sendingSeconds).secondsSince1970,
            "priority": DeliveryRow.rank(of: order.schedule.priority),
            "rate": order.schedule.ratePerSecond,
            "retry_count": order.retry.count,
            "retry_period": order.retry.periodSeconds,
            "tracking": order.tracking,
            "created_ms": now.millisecondsSince1970,
            "state": DeliveryState.startPending.rawValue,
            "template": order.template?.name,
            "template_version": order.template?.version,
            "calendar": calendar,
            "retention_days": order.schedule.retentionDays.map(Int64.init) ?? DeliveryRow.retentionOfSetting,
        ])
        return DeliveryID(
            rawValue: try db.insert("INSERT INTO delivery \(columns.insertion)", columns.arguments))
    }
}
