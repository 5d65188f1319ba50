package import PushModel

/// Deletes individual subscriptions, together with all errors and verdicts recorded against them, and the
/// variables that deliveries contain for them. Messages that were sent to them stay in the logs, with the
/// user key and without the token; messages that are still to be sent to them end. The subscriptions' numbers
/// are never used again. Opt-outs remain, unless the subscriptions are erased.
package struct SubscriberRemover: Sendable {
    /// The maximum number of subscriptions per call. Each one may touch a few dozen rows.
    package static let subscriptionsPerCall = 100

    let connection: Connection

    /// - Parameter subscriptions: At most ``subscriptionsPerCall``; a greater number is refused.
    ///   Subscriptions that no longer exist change nothing.
    /// - Returns: The number of subscriptions that existed.
    package func remove(_ subscriptions: [SubscriptionID], at now: WallMoment) throws(StoreError) -> Int {
        try refuseTooMany(subscriptions)
        return try connection.write("remove subscribers") { db in
            var removed = 0
            for id in subscriptions where try Self.remove(id.rawValue, at: now, db) { removed += 1 }
            return removed
        }
    }

    /// The result of an erasure.
    package struct Erased {
        /// The number of subscriptions that still existed.
        package var removed = 0
        /// Parts that cannot be read and may still contain the variables of these subscriptions.
        package var unreadable: Set<PartID> = []
    }

    /// Removes subscriptions and the data remembered about them, including subscriptions that were removed
    /// before and the opt-outs of their present users.
    /// - Parameter subscriptions: At most ``subscriptionsPerCall``; a greater number is refused.
    package func erase(_ subscriptions: [SubscriptionID], at now: WallMoment) throws(StoreError) -> Erased {
        try refuseTooMany(subscriptions)
        return try connection.write("erase subscribers") { db in
            var erased = Erased()
            for id in subscriptions {
                try OptOuts.erase(ofUserOf: id.rawValue, db)
                if try Self.removeRows(of: id.rawValue, at: now, db) { erased.removed += 1 }
                // If the app was deleted, the variables may still exist.
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

    /// - Parameter ifExcluded: Whether to remove the subscription only if deliveries leave it out.
    /// - Returns: Whether a subscription was removed.
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
        for table in ["quarantine", "device", "activity", "idempotency"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE subscription_id = ?1", arguments: [id])
        }
        try VerdictTable(db: db).remove(about: id, maxRows: .max)
        return true
    }
}
