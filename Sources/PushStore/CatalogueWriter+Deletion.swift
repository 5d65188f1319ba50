internal import GRDB
package import PushModel

extension CatalogueWriter {
    /// Deletes the app, its credential and its subscribers, these in pages of at most 5 000; interrupted, the same
    /// call goes on. Refused while a delivery of the app has not ended.
    ///
    /// The row stays behind without its name: what was sent still says by which app, and the number is never used
    /// again.
    /// - Parameter pause: called between pages.
    package func deleteApp(_ app: AppID, at now: WallMoment, pause: () -> Void = {}) throws(StoreError) {
        while try deletePage(of: app, at: now) { pause() }
    }

    /// - Returns: whether there is more to delete.
    private func deletePage(of app: AppID, at now: WallMoment) throws(StoreError) -> Bool {
        try connection.write("delete an app") { db in
            guard let present = try App.find(app, db) else { throw error(.unknown(.app, name: "\(app)")) }
            try refuseInUse(present, db)
            // Nothing is sent any more once the credential is gone, so that goes first.
            try db.execute(sql: "DELETE FROM credential WHERE app_id = ?", arguments: [app.rawValue])
            let range = SubscriptionRange(app)
            let limit = Connection.chunkRows
            try db.execute(
                sql: """
                    DELETE FROM subscription WHERE id IN (
                        SELECT id FROM subscription WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?)
                    """,
                arguments: [range.first, range.last, limit])
            if db.changesCount > 0 { return true }
            try db.execute(
                sql: """
                    DELETE FROM user_key WHERE app_id = ?1 AND (user_key, subscription_id) IN (
                        SELECT user_key, subscription_id FROM user_key WHERE app_id = ?1 LIMIT ?2)
                    """,
                arguments: [app.rawValue, limit])
            if db.changesCount > 0 { return true }
            try db.execute(
                sql: "UPDATE app SET removed_at = ? WHERE id = ?",
                arguments: [now.time.secondsSince1970, app.rawValue])
            return false
        }
    }

    private func refuseInUse(_ app: App, _ db: Database) throws {
        let user = try Int64.fetchOne(
            db,
            sql: """
                SELECT id FROM delivery WHERE \(DeliveryRow.isLive)
                    AND EXISTS (SELECT 1 FROM json_each(delivery.apps) WHERE value = ?) LIMIT 1
                """,
            arguments: [app.id.rawValue])
        if let user { throw error(.inUse(app: app.name, delivery: DeliveryID(rawValue: user))) }
    }
}
