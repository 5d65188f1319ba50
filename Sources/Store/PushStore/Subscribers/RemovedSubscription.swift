internal import PushModel

/// The data that remains when a subscription is removed: its number and user key, for the logs of messages to
/// it. The token does not remain. Code that erases a person must also delete this data.
enum RemovedSubscription {
    /// Records nothing if the user key is empty, because an empty key carries no information.
    static func note(_ id: Int64, userKey: String, at now: WallTime, _ db: any Session) throws {
        guard !userKey.isEmpty else { return }
        try db.execute(
            sql:
                """
                INSERT INTO removed_subscription (id, user_key, removed_at) VALUES (?1, ?2, ?3) ON \
                CONFLICT DO NOTHING
                """,
            arguments: [id, userKey, now.secondsSince1970])
    }

    /// Records the first remaining subscriptions of a removed app, up to the limit.
    static func note(first limit: Int, ofRemoved app: AppID, _ db: any Session) throws {
        let range = SubscriptionRange(app)
        try db.execute(
            sql: """
                INSERT INTO removed_subscription (id, user_key, removed_at)
                SELECT id, user_key, (SELECT coalesce(removed_at, 0) FROM app WHERE id = ?4) FROM (
                    SELECT id, user_key FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3
                ) AS page WHERE user_key <> '' ON CONFLICT DO NOTHING
                """,
            arguments: [range.first, range.last, limit, app.rawValue])
    }
}
