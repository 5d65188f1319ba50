package import PushModel

extension CatalogueWriter {
    /// Deletes the app, its credential and its subscribers, including all information about their tokens, in
    /// pages of at most 5 000 rows. Refused while the app has a delivery that has not ended. Logs keep the
    /// user keys (``RemovedSubscription``).
    ///
    /// The first transaction deletes the app itself, so that no client can submit messages to the app or
    /// import subscribers into it while its subscribers are being deleted. Subscribers that remain after an
    /// interruption are deleted with the next deletion of any app, or by ``purgeRemovedApps(pause:)``. The
    /// app's row remains, including its name, so that sent messages still refer to their app. The app's
    /// number is never used again; its name may be.
    /// - Parameter pause: Called between transactions.
    package func deleteApp(_ app: AppID, at now: WallMoment, pause: () -> Void = {}) throws(StoreError) {
        try remove(app, at: now)
        pause()
        try purgeRemovedApps(pause: pause)
    }

    /// Deletes the subscriber data that interrupted deletions have left, in pages of at most 5 000 rows. If
    /// nothing is left, the call only reads a row or two for each removed app, so it can be made whenever a
    /// process starts.
    /// - Parameter pause: Called between pages.
    package func purgeRemovedApps(pause: () -> Void = {}) throws(StoreError) {
        while try purgePageOfRemovedApps() { pause() }
    }

    /// Runs one transaction of ``purgeRemovedApps(pause:)``.
    /// - Returns: `false` if there was nothing to delete.
    package func purgePageOfRemovedApps() throws(StoreError) -> Bool {
        guard let app = try connection.read("look for removed apps", Self.removedAppWithSubscribers) else {
            return false
        }
        try purgePage(of: app)
        return true
    }

    private func remove(_ app: AppID, at now: WallMoment) throws(StoreError) {
        try connection.write("delete an app") { db in
            guard let present = try App.find(app, db) else { throw error(.unknown(.app, name: "\(app)")) }
            try refuseInUse(present, db)
            try db.execute(sql: "DELETE FROM credential WHERE app_id = ?1", arguments: [app.rawValue])
            try db.execute(sql: "DELETE FROM former_connection WHERE app_id = ?1", arguments: [app.rawValue])
            try db.execute(sql: "DELETE FROM app_icon WHERE app_id = ?1", arguments: [app.rawValue])
            try UndeclaredParameters(db: db).forget(app)
            try IntegrationKeys(db: db).forget(app)
            try db.execute(
                sql: "UPDATE app SET removed_at = ?1 WHERE id = ?2",
                arguments: [now.time.secondsSince1970, app.rawValue])
            // If the part of an account that belongs to this app has a storm, that part would otherwise
            // remain stopped, although no verdict is left for an operator to decide.
            let patterns = AccountKey.patterns(of: app)
            try db.execute(
                sql: "DELETE FROM account_trust WHERE mark LIKE ?1 OR mark LIKE ?2",
                arguments: [patterns.plain, patterns.ofTopic])
        }
    }

    private static func removedAppWithSubscribers(_ db: any Session) throws -> AppID? {
        let removed = try db.values(
            Int64.self, sql: "SELECT id FROM app WHERE removed_at IS NOT NULL ORDER BY id")
        return try removed.map(AppID.init(rawValue:)).first { app in
            let range = SubscriptionRange(app)
            let isLeft = try db.value(
                Bool.self,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM subscription WHERE id BETWEEN ?1 AND ?2)
                        OR EXISTS (SELECT 1 FROM user_key WHERE app_id = ?3)
                        OR EXISTS (SELECT 1 FROM opt_out WHERE app_id = ?3)
                    """,
                arguments: [range.first, range.last, app.rawValue])
            let hasDevices = try db.value(
                Bool.self,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM device WHERE subscription_id BETWEEN ?1 AND ?2)
                        OR EXISTS (SELECT 1 FROM activity WHERE subscription_id BETWEEN ?1 AND ?2)
                    """,
                arguments: [range.first, range.last])
            return try isLeft == true || hasDevices == true || QuarantineLift.isNeeded(in: range, db)
        }
    }

    private func purgePage(of app: AppID) throws(StoreError) {
        try connection.write("delete an app's subscribers") { db in
            let range = SubscriptionRange(app)
            let limit = Connection.chunkRows
            // Each deletion of a subscriber also inserts a row for the logs, so a transaction deletes only
            // half as many subscribers as it can touch rows.
            let subscribers = limit / 2
            try RemovedSubscription.note(first: subscribers, ofRemoved: app, db)
            let subscriptions = try db.execute(
                sql: """
                    DELETE FROM subscription WHERE id IN (
                        SELECT id FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3)
                    """,
                arguments: [range.first, range.last, subscribers])
            if subscriptions > 0 { return }
            let keys = try db.execute(
                sql: """
                    DELETE FROM user_key WHERE app_id = ?1 AND (user_key, subscription_id) IN (
                        SELECT user_key, subscription_id FROM user_key WHERE app_id = ?1 LIMIT ?2)
                    """,
                arguments: [app.rawValue, limit])
            if keys > 0 { return }
            if try OptOuts(db: db, app: app).forgetPage(of: limit) > 0 { return }
            for table in ["device", "activity", "quarantine"] {
                let rows = try db.execute(
                    sql: """
                        DELETE FROM \(table) WHERE subscription_id IN (
                            SELECT subscription_id FROM \(table) WHERE subscription_id BETWEEN ?1 AND ?2
                            LIMIT ?3)
                        """,
                    arguments: [range.first, range.last, limit])
                if rows > 0 { return }
            }
            // Each removal of a row also changes a count in the row of its account.
            try VerdictTable(db: db).removeRows(about: range.first...range.last, limit: limit / 2)
        }
    }

    private func refuseInUse(_ app: App, _ db: any Session) throws {
        let user = try db.value(
            Int64.self,
            sql: """
                SELECT id FROM delivery WHERE \(DeliveryRow.isLive)
                    AND EXISTS (SELECT 1 FROM delivery_app WHERE delivery_id = delivery.id AND app_id = ?1)
                    AND (NOT (\(DeliveryRow.isOpen)) OR EXISTS (
                        SELECT 1 FROM part_progress q
                        WHERE q.is_open = 1 AND q.delivery_id = delivery.id AND q.app_id = ?1)) LIMIT 1
                """,
            arguments: [app.id.rawValue])
        if let user { throw error(.inUse(app: app.name, delivery: DeliveryID(rawValue: user))) }
    }
}
