package import PushModel

extension Catalogue {
    /// Returns how many times each app has been updated. If an app's number differs from an earlier result,
    /// the app or its credential has changed. The call is inexpensive enough to be made every second.
    package func revisions() throws(StoreError) -> [AppID: Int64] {
        try connection.read("look for changed apps") { db in
            let rows = try db.rows(sql: "SELECT id, revision FROM app WHERE removed_at IS NULL")
            return Dictionary(
                try rows.map { (AppID(rawValue: try $0[0]), try $0[1] as Int64) },
                uniquingKeysWith: { $1 })
        }
    }

    /// Returns how many times one app has been updated; `nil` if the app has been removed.
    package func revision(of app: AppID) throws(StoreError) -> Int64? {
        try connection.read("look for a changed app") { db in
            try db.value(
                Int64.self, sql: "SELECT revision FROM app WHERE id = ?1 AND removed_at IS NULL",
                arguments: [app.rawValue])
        }
    }

    /// Returns the newest delivery that is bound to this revision and has not ended. Only the newest 5 000
    /// deliveries that are bound to the revision are searched.
    package func liveDelivery(boundTo revision: AppRevisionID) throws(StoreError) -> DeliveryID? {
        try connection.read("look for deliveries of an app") { db in
            try db.value(
                Int64.self,
                sql: """
                    SELECT d.id FROM (
                        SELECT delivery_id FROM delivery_app WHERE revision_id = ?1 ORDER BY delivery_id
                        DESC LIMIT ?2
                    ) AS bound JOIN delivery d ON d.id = bound.delivery_id
                    WHERE d.\(DeliveryRow.isLive) AND d.open_until IS NULL ORDER BY d.id DESC LIMIT 1
                    """,
                arguments: [revision.rawValue, Connection.maximumRows]
            ).map(DeliveryID.init(rawValue:))
        }
    }

    /// Returns the app's deliveries that have not ended, ordered by the end of their validity. The result
    /// contains at most the first 5 000 deliveries, and no deliveries that single messages join.
    package func liveDeliveries(of app: AppID) throws(StoreError) -> [DeliveryID] {
        try connection.read("look for deliveries of an app") { db in
            try db.values(
                Int64.self,
                sql: """
                    SELECT d.id FROM delivery d JOIN delivery_app x ON x.delivery_id = d.id AND x.app_id = ?1
                    WHERE d.\(DeliveryRow.isLive) AND d.open_until IS NULL ORDER BY d.expires_at, d.id LIMIT \
                    ?2
                    """,
                arguments: [app.rawValue, Connection.maximumRows]
            ).map(DeliveryID.init(rawValue:))
        }
    }

    /// Returns when the app received its credential; `nil` if the app has none, or if the credential was
    /// stored by an earlier version, which did not record the time.
    package func credentialGiven(to app: AppID) throws(StoreError) -> WallTime? {
        try connection.read("read a credential's age") { db in
            try db.value(
                Int64.self, sql: "SELECT changed_at FROM credential WHERE app_id = ?1",
                arguments: [app.rawValue]
            ).map(WallTime.init(secondsSince1970:))
        }
    }

    /// Returns when the app's feedback was last read completely; `nil` if it never was.
    package func lastFeedbackPoll(of app: AppID) throws(StoreError) -> WallTime? {
        try connection.read("read the last feedback poll") { db in
            try db.value(
                Int64.self, sql: "SELECT feedback_polled_at FROM app WHERE id = ?1", arguments: [app.rawValue]
            ).map(WallTime.init(secondsSince1970:))
        }
    }
}
