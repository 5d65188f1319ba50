package import PushModel

/// One subscription with all that is known of it.
package struct SubscriberFacts: Equatable, Sendable {
    package var subscription: SubscriptionID
    package var app: AppID
    package var token: String
    package var userKey: String
    /// A JSON object of texts; nil: there are none.
    package var parametersJSON: String?
    /// As the device said it; empty: it said none.
    package var language: String
    /// nil: it is sent to, and no error counts against it.
    package var state: QuarantineState?
    /// Errors that count against it.
    package var errors: Int
    package var created: WallTime
    /// When it last registered.
    package var registered: WallTime
}

/// Finds the subscriptions of one person or device.
package struct SubscriberFinder: Sendable {
    /// What one call finds at most.
    package static let limit = 1_000

    let connection: Connection

    /// The app's subscription with this token.
    package func find(token: String, in app: AppID) throws(StoreError) -> [SubscriberFacts] {
        try find("s.app_id = ?1 AND s.token = ?2", [app.rawValue, StoredToken.value(of: token)])
    }

    /// The app's subscriptions of a user, at most ``limit``, in order of first registration.
    /// - Parameter after: the last one that is known; nil: from the first one on.
    package func find(
        userKey: String, in app: AppID, after: SubscriptionID? = nil
    ) throws(StoreError) -> [SubscriberFacts] {
        try find(
            """
            s.id IN (SELECT subscription_id FROM user_key WHERE app_id = ?1 AND user_key = ?2)
                AND s.user_key = ?2 AND s.id > ?3
            """,
            [app.rawValue, userKey, after?.rawValue ?? 0])
    }

    /// The app's subscriptions, in order of first registration.
    /// - Parameters:
    ///   - after: the last one that is known; nil: from the first one on.
    ///   - withErrors: whether only those that gave errors, or are in quarantine, are found.
    ///   - limit: at most ``limit``.
    /// - Returns: these subscribers, and the last one that was looked at; nil: there are no more.
    package func page(
        of app: AppID, after: SubscriptionID?, withErrors: Bool, limit: Int = limit
    ) throws(StoreError) -> (subscribers: [SubscriberFacts], next: SubscriptionID?) {
        let range = SubscriptionRange(app)
        let bounds: [any SQLConvertible] = [max(after?.rawValue ?? 0, range.beforeFirst), range.last]
        guard withErrors else {
            let found = try find("s.id > ?1 AND s.id <= ?2", bounds, limit: limit)
            return (found, found.count == limit ? found.last?.subscription : nil)
        }
        return try connection.read("find subscribers") { db in
            // Few have errors: they are looked for where the errors are.
            let rows = try db.rows(
                sql: """
                    SELECT s.*, q.subscription_id, q.state, q.errors, d.language FROM (
                        SELECT subscription_id, state, errors FROM quarantine
                        WHERE subscription_id > ?1 AND subscription_id <= ?2
                        ORDER BY subscription_id LIMIT ?3) q
                        LEFT JOIN subscription s ON s.id = q.subscription_id
                        LEFT JOIN device d ON d.subscription_id = q.subscription_id
                    ORDER BY q.subscription_id
                    """,
                arguments: bounds + [limit])
            let last = rows.count == limit ? try rows.last?["subscription_id"] as Int64? : nil
            let present = try rows.filter { try ($0["id"] as Int64?) != nil }
            return (
                try present.map { try SubscriberFacts(row: $0) }, last.map(SubscriptionID.init(rawValue:))
            )
        }
    }

    private func find(
        _ condition: String, _ arguments: [any SQLConvertible], limit: Int = limit
    ) throws(StoreError) -> [SubscriberFacts] {
        try connection.read("find subscribers") { db in
            try db.rows(
                sql: """
                    SELECT s.*, q.state, q.errors, d.language FROM subscription s
                        LEFT JOIN quarantine q ON q.subscription_id = s.id
                        LEFT JOIN device d ON d.subscription_id = s.id
                    WHERE \(condition) ORDER BY s.id LIMIT \(limit)
                    """,
                arguments: arguments
            ).map { try SubscriberFacts(row: $0) }
        }
    }
}

extension SubscriberFacts {
    fileprivate init(row: Row) throws {
        let id: Int64 = try row["id"]
        // A store of the first version excluded without a row of quarantine.
        let (state, disabled): (Int64?, Int64) = (try row["state"], try row["disabled"])
        let raw = state ?? (disabled == 0 ? nil : disabled)
        self.init(
            subscription: SubscriptionID(rawValue: id), app: SubscriptionRange.app(of: id),
            token: StoredToken.text(of: try row["token"]), userKey: try row["user_key"],
            parametersJSON: try row["parameters"], language: try row["language"] ?? "",
            state: try raw.map { try QuarantineState.known($0) }, errors: try row["errors"] ?? 0,
            created: WallTime(secondsSince1970: try row["created_at"]),
            registered: WallTime(secondsSince1970: try row["updated_at"]))
    }
}
