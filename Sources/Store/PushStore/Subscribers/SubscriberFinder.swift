package import PushModel

/// A subscription with all known data.
package struct SubscriberFacts: Equatable, Sendable {
    package var subscription: SubscriptionID
    package var app: AppID
    package var token: String
    package var userKey: String
    /// A JSON object of strings; `nil` if there are no parameters.
    package var parametersJSON: String?
    /// What the device reported about itself, without its id.
    package var device: DeviceFacts
    /// The quarantine state; `nil` if deliveries include the subscription and no error counts against it.
    package var state: QuarantineState?
    /// The number of errors that count against the subscription.
    package var errors: Int
    package var created: WallTime
    /// The time of the last registration.
    package var registered: WallTime
    /// The time of the last registration or reported click, whichever is later.
    package var lastActive: WallTime

    /// The operating system with its version, or its name if the device reported no version; empty if it
    /// reported neither.
    package var os: String { device.osVersion.isEmpty ? device.osName : device.osVersion }

    package var collected: CollectedFacts {
        CollectedFacts(
            userKey: userKey, device: device, created: created, registered: registered,
            lastActive: lastActive)
    }
}

/// Finds the subscriptions of a person or device.
package struct SubscriberFinder: Sendable {
    /// The maximum number of subscriptions that one call finds.
    package static let limit = 1_000

    private static let deviceColumns = """
        d.language, d.os_name, d.os_version, d.name, d.model, d.brand, d.manufacturer, a.active_at
        """

    let connection: Connection

    /// Returns the app's subscription with this token.
    package func find(token: String, in app: AppID) throws(StoreError) -> [SubscriberFacts] {
        try find("s.app_id = ?1 AND s.token = ?2", [app.rawValue, StoredToken.value(of: token)])
    }

    /// Returns up to ``limit`` of a user's subscriptions in the app, in order of first registration.
    /// - Parameter after: The subscription after which to continue; `nil` to begin with the first.
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

    /// Returns the app's subscriptions in order of first registration.
    /// - Parameters:
    ///   - after: The subscription after which to continue; `nil` to begin with the first.
    ///   - withErrors: Whether to return only subscriptions that gave errors or are in quarantine.
    ///   - limit: At most ``limit``.
    /// - Returns: The subscribers, and the last one that was read, which is `nil` if there are no more.
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
            // Few subscriptions have errors, so the search begins with the errors.
            let rows = try db.rows(
                sql: """
                    SELECT s.*, q.subscription_id, q.state, q.errors, \(Self.deviceColumns) FROM (
                        SELECT subscription_id, state, errors FROM quarantine
                        WHERE subscription_id > ?1 AND subscription_id <= ?2
                        ORDER BY subscription_id LIMIT ?3) q
                        LEFT JOIN subscription s ON s.id = q.subscription_id
                        LEFT JOIN device d ON d.subscription_id = q.subscription_id
                        LEFT JOIN activity a ON a.subscription_id = q.subscription_id
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
                    SELECT s.*, q.state, q.errors, \(Self.deviceColumns) FROM subscription s
                        LEFT JOIN quarantine q ON q.subscription_id = s.id
                        LEFT JOIN device d ON d.subscription_id = s.id
                        LEFT JOIN activity a ON a.subscription_id = s.id
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
        // A store of the first version excluded subscriptions without writing a quarantine row.
        let (state, disabled): (Int64?, Int64) = (try row["state"], try row["disabled"])
        let raw = state ?? (disabled == 0 ? nil : disabled)
        let registered = WallTime(secondsSince1970: try row["updated_at"])
        let active: Int64? = try row["active_at"]
        self.init(
            subscription: SubscriptionID(rawValue: id), app: SubscriptionRange.app(of: id),
            token: StoredToken.text(of: try row["token"]), userKey: try row["user_key"],
            parametersJSON: try row["parameters"], device: try DeviceFacts(row: row), state: try raw.map { try QuarantineState.known($0) }, errors: try row["errors"] ?? 0,
            created: WallTime(secondsSince1970: try row["created_at"]),
            registered: registered,
            lastActive: max(registered, WallTime(secondsSince1970: active ?? .min)))
    }
}

extension DeviceFacts {
    /// Reads a row of `device`; the facts are empty if the subscription has no such row.
    init(row: Row) throws {
        self.init()
        func text(_ column: String) throws -> String { try row[column] ?? "" }
        (osName, osVersion, language) = (
            try text("os_name"), try text("os_version"), try text("language")
        )
        (name, model) = (try text("name"), try text("model"))
        (brand, manufacturer) = (try text("brand"), try text("manufacturer"))
    }
}
