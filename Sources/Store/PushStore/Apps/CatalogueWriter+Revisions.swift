package import PushModel

/// The revisions to which deliveries are bound: see ``PushModel/AppRevision``.
extension CatalogueWriter {
    /// Inserts a new revision if these settings need one, and deletes the previous revision if nothing uses
    /// it.
    func revise(_ app: App, to settings: AppSettings, _ db: any Session) throws -> AppRevisionID {
        let isSentOtherwise =
            settings.connector != app.settings.connector
            || settings.credentialKind != app.settings.credentialKind
        guard isSentOtherwise || AppRevision(settings) != AppRevision(app.settings) else {
            return app.revision
        }
        let next = try AppRevision(settings).insert(of: app.id, db)
        try AppRevision.deleteUnused([app.revision], db)
        return next
    }

    /// Binds to the app's current revision all of the app's deliveries that have not ended. Operators need
    /// this after they have corrected a wrong topic that keeps messages waiting. Each transaction contains at
    /// most 5 000 rows; another call completes interrupted work. Refuses an unknown app.
    /// - Parameter pause: Called between transactions.
    /// - Returns: The number of deliveries that were bound again.
    @discardableResult
    package func bindLiveDeliveries(of app: AppID, pause: () -> Void = {}) throws(StoreError) -> Int {
        var last = LiveDelivery(id: 0, expiresAt: .min)
        var count = 0
        while true {
            let page = try connection.write("bind deliveries") { db in try bindPage(of: app, after: last, db)
            }
            count += page.bound
            guard let end = page.end else { return count }
            last = end
            pause()
        }
    }

    private struct LiveDelivery {
        var id: Int64
        var expiresAt: Int64
    }

    /// - Returns: The number of deliveries that were bound again, and the position where the next page
    ///   continues; `nil` if there is no next page.
    private func bindPage(
        of app: AppID, after last: LiveDelivery, _ db: any Session
    ) throws -> (bound: Int, end: LiveDelivery?) {
        guard let current = try App.find(app, db)?.revision else {
            throw error(.unknown(.app, name: "\(app)"))
        }
        let limit = Connection.maximumRows / 4
        let rows = try db.rows(sql: Self.livePage, arguments: [app.rawValue, last.expiresAt, last.id, limit])
        var replaced: Set<AppRevisionID> = []
        var bound = 0
        for row in rows {
            let delivery: Int64 = try row["id"]
            var before: Set<AppRevisionID> = []
            if try row["open_until"] as Int64? != nil {
                before.formUnion(try bindMessages(of: app, in: delivery, to: current, db))
            }
            if let old = try row["revision_id"] as Int64?, old != current.rawValue {
                try db.execute(
                    sql: "UPDATE delivery_app SET revision_id = ?1 WHERE delivery_id = ?2 AND app_id = ?3",
                    arguments: [current.rawValue, delivery, app.rawValue])
                before.insert(AppRevisionID(rawValue: old))
            }
            replaced.formUnion(before)
            if !before.isEmpty { bound += 1 }
        }
        if bound > 0 {
            try AppRevision.deleteUnused(replaced, db)
            // This makes a running master create its jobs again.
            try db.execute(
                sql: "UPDATE app SET revision = revision + 1 WHERE id = ?1", arguments: [app.rawValue])
        }
        let end =
            rows.count == limit
            ? try rows.last.map { LiveDelivery(id: try $0["id"], expiresAt: try $0["expires_at"]) } : nil
        return (bound, end)
    }

    /// Binds the contents of single messages to the current revision. These contents have a separate binding
    /// for each revision that the app has had since the delivery was opened.
    /// - Returns: The revisions to which the contents were bound before.
    private func bindMessages(
        of app: AppID, in delivery: Int64, to current: AppRevisionID, _ db: any Session
    ) throws -> [AppRevisionID] {
        let old = try db.values(
            Int64.self,
            sql: """
                SELECT DISTINCT bound_id FROM message_revision WHERE delivery_id = ?1 AND app_id = ?2 AND \
                bound_id <> ?3
                """,
            arguments: [delivery, app.rawValue, current.rawValue])
        try db.execute(
            sql: "UPDATE message_revision SET bound_id = ?3 WHERE delivery_id = ?1 AND app_id = ?2",
            arguments: [delivery, app.rawValue, current.rawValue])
        return old.map(AppRevisionID.init(rawValue:))
    }

    private static let livePage = """
        SELECT d.id, d.expires_at, d.open_until, x.revision_id
        FROM delivery d LEFT JOIN delivery_app x ON x.delivery_id = d.id AND x.app_id = ?1
        WHERE d.\(DeliveryRow.isLive) AND (d.expires_at, d.id) > (?2, ?3)
        ORDER BY d.expires_at, d.id LIMIT ?4
        """
}

extension AppSettings {
    /// The part of the credential's identity that precedes the colon.
    fileprivate var credentialKind: Substring { credentialIdentity.prefix { $0 != ":" } }
}
