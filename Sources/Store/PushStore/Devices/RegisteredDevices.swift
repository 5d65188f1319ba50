package import PushModel

/// A device that registered with an app for the first time.
package struct RegisteredDevice: Equatable, Sendable {
    package var token: String
    package var userKey: String
    package var model: String
}

extension SubscriberReader {
    /// Returns the newest subscription of an app; `nil` if the app has none.
    package func newest(of app: AppID) throws(StoreError) -> SubscriptionID? {
        let range = SubscriptionRange(app)
        return try connection.read("look for the newest subscriber") { db in
            try db.value(
                Int64.self,
                sql: "SELECT id FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT 1",
                arguments: [range.first, range.last]
            ).map(SubscriptionID.init(rawValue:))
        }
    }

    /// Returns the devices among an app's next new subscriptions. Imported subscribers are left out.
    /// - Parameters:
    ///   - after: The last subscription that an earlier call has read; `nil` for all subscriptions.
    ///   - limit: The number of subscriptions to read, at most 5 000.
    /// - Returns: The devices, and the last subscription that was read.
    package func devices(
        registeredWith app: AppID, after: SubscriptionID?, limit: Int
    ) throws(StoreError) -> (devices: [RegisteredDevice], last: SubscriptionID?) {
        let range = SubscriptionRange(app)
        let limit = max(1, min(limit, Connection.maximumRows))
        return try connection.read("look for new devices") { db in
            let rows = try db.rows(
                sql: """
                    SELECT s.id, s.token, s.user_key, d.model FROM (
                        SELECT id, token, user_key FROM subscription
                        WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3
                    ) AS s LEFT JOIN device d ON d.subscription_id = s.id ORDER BY s.id
                    """,
                arguments: [max(after?.rawValue ?? 0, range.beforeFirst), range.last, limit])
            let devices = try rows.compactMap { row -> RegisteredDevice? in
                let model: String? = try row["model"]
                guard let model else { return nil }
                return RegisteredDevice(
                    token: StoredToken.text(of: try row["token"]), userKey: try row["user_key"], model: model)
            }
            return (devices, try rows.last.map { SubscriptionID(rawValue: try $0["id"]) } ?? after)
        }
    }
}
