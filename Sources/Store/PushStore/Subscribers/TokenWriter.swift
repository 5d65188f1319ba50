package import PushModel
internal import PushQueue

/// Updates a device's token to the one by which its gateway now knows the device.
package struct TokenWriter: Sendable {
    let connection: Connection

    /// Replaces the token of a message's subscription. Nothing changes if the subscription no longer exists,
    /// or if another subscription of the app already has the new token. In the latter case, the device is
    /// registered twice, and the other subscription's row is the newer one. All errors and verdicts recorded
    /// against the old token are deleted with it; opt-outs remain.
    /// - Returns: Whether a row changed.
    @discardableResult
    package func rename(
        subscriberOf message: MessageID, to token: String, at now: WallMoment
    ) throws(StoreError) -> Bool {
        try connection.write("replace a token") { db in
            let table = PartTable(db: db)
            guard let stored = try table.part(of: message), let index = stored.index(of: message),
                let id = try table.members(of: stored.part).subscription(at: index)?.rawValue
            else { return false }
            let optOuts = OptOuts(db: db, app: SubscriptionRange.app(of: id))
            let old = try optOuts.exist() ? optOuts.mark(ofTokenOf: id) : nil
            let changed = try db.execute(
                sql: """
                    UPDATE subscription SET token = ?1, updated_at = ?2,
                        disabled = \(HotSQL.validUnlessOptedOut)
                    WHERE id = ?3 AND NOT EXISTS (
                        SELECT 1 FROM subscription AS other
                        WHERE other.app_id = subscription.app_id AND other.token = ?1 AND other.id <> ?3)
                    """,
                arguments: [StoredToken.value(of: token), now.time.secondsSince1970, id])
            guard changed > 0 else { return false }
            // A gateway may state the same new token in its answers to several messages.
            if let old, case let new = OptOuts.mark(ofToken: token, optOuts.app), new != old {
                try optOuts.copy(old, to: new)
                try optOuts.forget(old)
            }
            try QuarantineLift(db).forget(id)
            return true
        }
    }
}
