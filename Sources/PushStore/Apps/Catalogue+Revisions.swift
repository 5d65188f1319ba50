package import PushModel

extension Catalogue {
    /// How often each app was updated: a number that differs from the one seen before means that the app, or its
    /// credential, has changed. Cheap enough for every second.
    package func revisions() throws(StoreError) -> [AppID: Int64] {
        try connection.read("look for changed apps") { db in
            let rows = try db.rows(sql: "SELECT id, revision FROM app WHERE removed_at IS NULL")
            return Dictionary(
                try rows.map { (AppID(rawValue: try $0["id"]), try $0["revision"] as Int64) }, uniquingKeysWith: { $1 })
        }
    }

    /// When the app's credential was given; nil where it has none, or got it from a version that did not note this.
    package func credentialGiven(to app: AppID) throws(StoreError) -> WallTime? {
        try connection.read("read a credential's age") { db in
            try db.value(Int64.self, sql: "SELECT changed_at FROM credential WHERE app_id = ?1", arguments: [app.rawValue]
            ).map(WallTime.init(secondsSince1970:))
        }
    }

    /// When the app's feedback was last read to its end; nil: never.
    package func lastFeedbackPoll(of app: AppID) throws(StoreError) -> WallTime? {
        try connection.read("read the last feedback poll") { db in
            try db.value(Int64.self, sql: "SELECT feedback_polled_at FROM app WHERE id = ?1", arguments: [app.rawValue]
            ).map(WallTime.init(secondsSince1970:))
        }
    }
}
