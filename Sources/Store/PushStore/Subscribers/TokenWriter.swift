package import PushModel
internal import PushQueue

/// Follows a device to the token that its gateway knows it by now.
package struct TokenWriter: Sendable {
    let connection: Connection

    /// Replaces the token of a message's subscription. Where another subscription of the app has that token
    /// already, or the subscription has gone, nothing changes: the device is registered twice, and the other
    /// row is the newer. What was held against the old token goes with it.
    /// - Returns: whether a row changed.
    @discardableResult
    package func rename(
        subscriberOf message: MessageID, to token: String, at now: WallMoment
    ) throws(StoreError) -> Bool {
        try connection.write("replace a token") { db in
            let table = PartTable(db: db)
            guard let stored = try table.part(of: message), let index = stored.index(of: message),
                let id = try table.members(of: stored.part).subscription(at: index)?.rawValue
            else { return false }
            let changed = try db.execute(
                sql: """
                    UPDATE subscription SET token = ?1, updated_at = ?2, disabled = \(StateCode.valid)
                    WHERE id = ?3 AND NOT EXISTS (
                        SELECT 1 FROM subscription AS other
                        WHERE other.app_id = subscription.app_id AND other.token = ?1 AND other.id <> ?3)
                    """,
                arguments: [StoredToken.value(of: token), now.time.secondsSince1970, id])
            guard changed > 0 else { return false }
            try QuarantineLift(db).forget(id)
            return true
        }
    }
}
