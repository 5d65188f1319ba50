internal import GRDB
package import PushModel

/// One subscription with all that is known of it.
package struct SubscriberFacts: Equatable, Sendable {
    package var subscription: SubscriptionID
    package var app: AppID
    package var token: String
    package var userKey: String
    /// A JSON object of texts; nil: there are none.
    package var parametersJSON: String?
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
        try find("s.app_id = ? AND s.token = ?", [app.rawValue, StoredToken.value(of: token)])
    }

    /// The app's subscriptions of a user, at most ``limit``, in order of first registration.
    package func find(userKey: String, in app: AppID) throws(StoreError) -> [SubscriberFacts] {
        try find(
            "s.id IN (SELECT subscription_id FROM user_key WHERE app_id = ?1 AND user_key = ?2) AND s.user_key = ?2",
            [app.rawValue, userKey])
    }

    private func find(_ condition: String, _ arguments: StatementArguments) throws(StoreError) -> [SubscriberFacts] {
        try connection.read("find subscribers") { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT s.*, q.state, q.errors FROM subscription s LEFT JOIN quarantine q ON q.subscription_id = s.id
                    WHERE \(condition) ORDER BY s.id LIMIT \(Self.limit)
                    """,
                arguments: arguments
            ).map(SubscriberFacts.init(row:))
        }
    }
}

extension SubscriberFacts {
    fileprivate init(row: Row) throws {
        let id: Int64 = row["id"]
        // A store of the first version excluded without a row of quarantine.
        let raw: Int64? = row["state"] ?? (row["disabled"] as Int64 == 0 ? nil : row["disabled"])
        self.init(
            subscription: SubscriptionID(rawValue: id), app: SubscriptionRange.app(of: id),
            token: StoredToken.text(of: row["token"]), userKey: row["user_key"], parametersJSON: row["parameters"],
            state: try raw.map { try QuarantineState.known($0) }, errors: row["errors"] ?? 0,
            created: WallTime(secondsSince1970: row["created_at"]),
            registered: WallTime(secondsSince1970: row["updated_at"]))
    }
}
