internal import PushModel

/// The table that maps a user key to subscriptions. The empty key has no hints, because it is never looked
/// up.
struct UserKeyHints {
    private let addition: any Statement
    private let removal: any Statement
    private let additions: Batch
    private let variables: PartVariables

    init(_ db: any Session, _ app: AppID) throws {
        variables = PartVariables(db: db)
        let one =
            """
            INSERT INTO user_key (app_id, user_key, subscription_id) VALUES (?1, ?2, ?3) ON CONFLICT DO \
            NOTHING
            """
        addition = try db.statement(one)
        removal = try db.statement(
            "DELETE FROM user_key WHERE app_id = ?1 AND user_key = ?2 AND subscription_id = ?3")
        additions = try Batch(
            db, one: one,
            many: """
                INSERT INTO user_key (app_id, user_key, subscription_id)
                SELECT CAST(?1 AS BIGINT), g.user_key, g.id
                FROM unnest(CAST(?2 AS TEXT[]), CAST(?3 AS BIGINT[])) AS g (user_key, id) ON CONFLICT DO \
                NOTHING
                """)
        addition.bind(app.rawValue, at: 1)
        additions.bind(app.rawValue, at: 1)
        removal.bind(app.rawValue, at: 1)
    }

    /// Updates the hints of subscriptions that now belong to another person.
    /// - Parameter changes: Each change contains the previous key, which is empty if the subscription
    ///   belonged to no person.
    func change(_ changes: [(id: Int64, old: String, new: String)]) throws {
        for (id, old, new) in changes {
            try remove(old, id: id)
            try add(new, id: id)
        }
        // Variables that deliveries contain for the previous owner must not be sent to the new one.
        let moved = changes.filter { !$0.old.isEmpty }.map { SubscriptionID(rawValue: $0.id) }
        guard !moved.isEmpty, try variables.exist() else { return }
        try variables.eraseWaiting(Set(moved))
    }

    func add(_ key: String, id: Int64) throws { try run(addition, key, id) }
    func remove(_ key: String, id: Int64) throws { try run(removal, key, id) }

    /// - Parameters:
    ///   - chunk: Rows that have keys.
    ///   - ids: The ids of the rows.
    func add(_ chunk: SubscriberChunk, ids: [Int64]) throws {
        try additions.run(chunk.indices) { index, parameters in
            chunk.bind(.userKey, of: index, to: parameters, at: 2)
            parameters.bind(ids[index], at: 3)
        }
    }

    private func run(_ statement: any Statement, _ key: String, _ id: Int64) throws {
        guard !key.isEmpty else { return }
        statement.bind(key, at: 2)
        statement.bind(id, at: 3)
        try statement.run()
    }
}
