package import PushModel

/// Deletes subscriptions one by one, with all that is held against them and what deliveries said of them. What was
/// sent to them stays in the logs, with user key and without token; what is still to be sent to them ends. Their
/// numbers are never used again.
package struct SubscriberRemover: Sendable {
    /// What one call takes: each subscription may touch a few dozen rows.
    package static let subscriptionsPerCall = 100

    let connection: Connection

    /// - Parameter subscriptions: at most ``subscriptionsPerCall``; more are refused. Those that have gone
    ///   change nothing.
    /// - Returns: how many there were.
    package func remove(_ subscriptions: [SubscriptionID], at now: WallMoment) throws(StoreError) -> Int {
        try refuseTooMany(subscriptions)
        return try connection.write("remove subscribers") { db in
            var removed = 0
            for id in subscriptions where try Self.remove(id.rawValue, at: now, db) { removed += 1 }
            return removed
        }
    }

    /// What became of those that were to be erased.
    package struct Erased {
        /// How many there were still.
        package var removed = 0
        /// Parts that cannot be read, and may keep what a delivery said of them.
        package var unreadable: Set<PartID> = []
    }

    /// Removes them, and what is remembered of them, also of such as were removed before.
    /// - Parameter subscriptions: at most ``subscriptionsPerCall``; more are refused.
    package func erase(_ subscriptions: [SubscriptionID], at now: WallMoment) throws(StoreError) -> Erased {
        try refuseTooMany(subscriptions)
        return try connection.write("erase subscribers") { db in
            var erased = Erased()
            for id in subscriptions {
                if try Self.removeRows(of: id.rawValue, at: now, db) { erased.removed += 1 }
                // Of an app that was deleted it may be there still.
                erased.unreadable.formUnion(try PartVariables(db: db).erase(id))
                try db.execute(
                    sql: "DELETE FROM removed_subscription WHERE id = ?1", arguments: [id.rawValue])
            }
            return erased
        }
    }

    private func refuseTooMany(_ subscriptions: [SubscriptionID]) throws(StoreError) {
        guard subscriptions.count > Self.subscriptionsPerCall else { return }
        let what =
            "one call removes at most \(Self.subscriptionsPerCall) subscribers, not \(subscriptions.count)"
        throw StoreError(.limitReached(what: what), path: connection.path)
    }

    /// - Parameter ifExcluded: only one that deliveries leave out.
    /// - Returns: whether there was one.
    static func remove(
        _ id: Int64, ifExcluded: Bool = false, at now: WallMoment, _ db: any Session
    ) throws -> Bool {
        guard try removeRows(of: id, ifExcluded: ifExcluded, at: now, db) else { return false }
        try PartVariables(db: db).erase(SubscriptionID(rawValue: id))
        return true
    }

    private static func removeRows(
        of id: Int64, ifExcluded: Bool = false, at now: WallMoment, _ db: any Session
    ) throws -> Bool {
        let condition = ifExcluded ? " AND disabled <> \(StateCode.valid)" : ""
        let userKey = try db.value(
            String.self, sql: "DELETE FROM subscription WHERE id = ?1\(condition) RETURNING user_key",
            arguments: [id])
        guard let userKey else { return false }
        try RemovedSubscription.note(id, userKey: userKey, at: now.time, db)
        try UserKeyHints(db, SubscriptionRange.app(of: id)).remove(userKey, id: id)
        for table in ["quarantine", "device", "idempotency"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE subscription_id = ?1", arguments: [id])
        }
        try VerdictTable(db: db).remove(about: id, mostRows: .max)
        return true
    }
}
