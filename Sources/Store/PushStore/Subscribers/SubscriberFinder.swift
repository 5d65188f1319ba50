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
    /// The quarantine state; `nil` if the subscription is not in quarantine and no error counts against it.
    package var state: QuarantineState?
    /// The reason for the quarantine state; `nil` if the store has none.
    package var quarantine: QuarantineEntry?
    /// The opt-out of the subscription's user; `nil` if the user has not opted out.
    package var optOut: OptOutFacts?
    /// Whether the device recognises itself by an own id, by its token, or has not registered yet.
    package var recognition: DeviceRecognition
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

/// When and by whom an opt-out was recorded; both are `nil` if the store no longer has this information.
package struct OptOutFacts: Equatable, Sendable {
    package var since: WallTime?
    package var source: OptOutSource?

    package init(since: WallTime? = nil, source: OptOutSource? = nil) {
        (self.since, self.source) = (since, source)
    }
}

/// How the server recognises a device that registers with a new token.
package enum DeviceRecognition: Equatable, Sendable {
    /// The device sends an id, so its new token replaces the old one.
    case byID
    /// The device sends no id, so its new token becomes another subscription.
    case byToken
    /// The subscription was imported, and its device has not registered.
    case unregistered
}

/// Finds the subscriptions of a person or device.
package struct SubscriberFinder: Sendable {
    /// The maximum number of subscriptions that one call finds.
    package static let limit = 1_000

    /// The columns of the device, its activity and the quarantine.
    private static let details = """
        \(DeviceFacts.selection), d.mark, a.active_at,
            q.subscription_id, q.state, q.errors, q.last_error_at, q.since, q.source, q.provider_reason,
            q.delivery_id
        """

    let connection: Connection

    /// Returns the app's subscription with this token.
    package func find(token: String, in app: AppID) throws(StoreError) -> [SubscriberFacts] {
        try find(token: token, in: [app])
    }

    /// Returns the apps' subscriptions with this token, in the order of their numbers.
    /// - Parameter after: The subscription after which to continue; `nil` to begin with the first.
    /// - Returns: At most ``limit``.
    package func find(
        token: String, in apps: [AppID], after: SubscriptionID? = nil
    ) throws(StoreError) -> [SubscriberFacts] {
        try find(among: apps) { db, apps in
            try db.values(
                Int64.self,
                sql: """
                    SELECT id FROM subscription
                    WHERE \(db.dialect.isAmong("?1", "app_id")) AND token = ?2 AND id > ?3
                    """,
                arguments: [apps, StoredToken.value(of: token), after?.rawValue ?? 0])
        }
    }

    /// Returns up to ``limit`` of a user's subscriptions in the app, in order of first registration.
    /// - Parameter after: The subscription after which to continue; `nil` to begin with the first.
    package func find(
        userKey: String, in app: AppID, after: SubscriptionID? = nil
    ) throws(StoreError) -> [SubscriberFacts] {
        try find(userKey: userKey, in: [app], after: after)
    }

    /// Returns up to ``limit`` of a user's subscriptions in the apps, in the order of their numbers: app by
    /// app, and in order of first registration.
    /// - Parameter after: The subscription after which to continue; `nil` to begin with the first.
    package func find(
        userKey: String, in apps: [AppID], after: SubscriptionID? = nil
    ) throws(StoreError) -> [SubscriberFacts] {
        try find(among: apps) { db, apps in
            // The table contains hints: see ``TableSchema/subscribers``.
            try db.values(
                Int64.self,
                sql: """
                    SELECT k.subscription_id FROM user_key k
                    WHERE \(db.dialect.isAmong("?1", "k.app_id")) AND k.user_key = ?2
                        AND k.subscription_id > ?3
                        AND (SELECT s.user_key FROM subscription s WHERE s.id = k.subscription_id) = ?2
                    ORDER BY k.app_id, k.user_key, k.subscription_id LIMIT \(Self.limit)
                    """,
                arguments: [apps, userKey, after?.rawValue ?? 0])
        }
    }

    /// - Parameter numbers: Returns the numbers of subscriptions of the apps, which it receives as
    ///   ``SQLNumbers``. Finding the numbers first takes one look into an index for each app, whatever a
    ///   server knows about its tables.
    private func find(
        among apps: [AppID], numbers: (any Session, String) throws -> [Int64]
    ) throws(StoreError) -> [SubscriberFacts] {
        try connection.read("find subscribers") { db in
            let found = try numbers(db, SQLNumbers.list(apps.map(\.rawValue)))
            guard !found.isEmpty else { return [] }
            return try Self.find(
                db.dialect.isAmong("?1", "s.id"), [SQLNumbers.list(found.sorted().prefix(Self.limit))],
                limit: Self.limit, db)
        }
    }

    /// Returns the first app with a subscription, in the order of the apps' numbers.
    /// - Parameter first: The first app to consider.
    /// - Returns: `nil` if neither this app nor a later one has a subscription.
    package func firstApp(from first: AppID) throws(StoreError) -> AppID? {
        try connection.read("find subscribers") { db in
            try db.value(
                Int64.self, sql: "SELECT id FROM subscription WHERE id > ?1 ORDER BY id LIMIT 1",
                arguments: [SubscriptionRange(first).beforeFirst]
            ).map(SubscriptionRange.app)
        }
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
                    SELECT s.*, \(Self.details) FROM (
                        SELECT * FROM quarantine
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
            var found = try present.map { try SubscriberFacts(row: $0) }
            try OptOuts(db: db, app: app).fill(&found)
            return (found, last.map(SubscriptionID.init(rawValue:)))
        }
    }

    /// Returns those of the app's subscriptions that a target selects, in order of first registration. The
    /// target is evaluated in the same way as the target of a delivery.
    /// - Parameters:
    ///   - target: A condition on subscriptions, not a list of recipients.
    ///   - time: The time to which relative dates refer.
    ///   - after: The subscription after which to continue; `nil` to begin with the first.
    ///   - limit: The maximum number of subscriptions to examine, at most ``limit``.
    /// - Returns: The subscribers, the number of subscriptions that were examined, and the last one of them,
    ///   which is `nil` if there are no more.
    package func page(
        of app: AppID, selectedBy target: Target, at time: WallTime, after: SubscriptionID?,
        limit: Int = limit
    ) throws(StoreError) -> (subscribers: [SubscriberFacts], looked: Int, next: SubscriptionID?) {
        let start = max(after?.rawValue ?? 0, SubscriptionRange(app).beforeFirst)
        return try connection.read("find subscribers") { db in
            var plan = PreparationPlan(asking: target, of: [app])
            plan.begin = time
            plan.cursor.subscription = start
            var selection = TargetSelection(plan, app: app, limit: limit)
            try selection.select(db)
            let next: Int64? = selection.next.app == 0 ? selection.next.subscription : nil
            let wanted = Set(selection.members.map(\.subscription))
            guard let last = wanted.max() else { return ([], selection.looked, next.map(Self.id)) }
            // The selection examined no more subscriptions than this range has.
            let found = try Self.find("s.id > ?1 AND s.id <= ?2", [start, last], limit: limit, db)
            return (
                found.filter { wanted.contains($0.subscription.rawValue) }, selection.looked,
                next.map(Self.id)
            )
        }
    }

    private static func id(_ number: Int64) -> SubscriptionID { SubscriptionID(rawValue: number) }

    private func find(
        _ condition: String, _ arguments: [any SQLConvertible], limit: Int = limit
    ) throws(StoreError) -> [SubscriberFacts] {
        try connection.read("find subscribers") { db in
            try Self.find(condition, arguments, limit: limit, db)
        }
    }

    private static func find(
        _ condition: String, _ arguments: [any SQLConvertible], limit: Int, _ db: any Session
    ) throws -> [SubscriberFacts] {
        var found = try db.rows(
            sql: """
                SELECT s.*, \(Self.details) FROM subscription s
                    LEFT JOIN quarantine q ON q.subscription_id = s.id
                    LEFT JOIN device d ON d.subscription_id = s.id
                    LEFT JOIN activity a ON a.subscription_id = s.id
                WHERE \(condition) ORDER BY s.id LIMIT \(limit)
                """,
            arguments: arguments
        ).map { try SubscriberFacts(row: $0) }
        for app in Set(found.lazy.filter { $0.optOut != nil }.map(\.app)) {
            try OptOuts(db: db, app: app).fill(&found)
        }
        return found
    }
}

extension SubscriberFacts {
    fileprivate init(row: Row) throws {
        let id: Int64 = try row["id"]
        // A store of the first version excluded subscriptions without writing a quarantine row.
        let (state, disabled): (Int64?, Int64) = (try row["state"], try row["disabled"])
        let isOptedOut = disabled == StateCode.optedOut
        let raw = state ?? (disabled == StateCode.valid || isOptedOut ? nil : disabled)
        let mark: Int64? = try row["mark"]
        let isListed = try (row["subscription_id"] as Int64?) != nil
        let facts = try CollectedFacts(row: row)
        let device = facts.device
        // An import may have stored a language, but nothing else about the device.
        let hasRegistered = !(device.osName + device.osVersion + device.model).isEmpty
        self.init(
            subscription: SubscriptionID(rawValue: id), app: SubscriptionRange.app(of: id),
            token: StoredToken.text(of: try row["token"]), userKey: facts.userKey,
            parametersJSON: try row["parameters"], device: device,
            state: try raw.map { try QuarantineState.known($0) },
            quarantine: isListed ? try QuarantineEntry(row: row) : nil,
            optOut: isOptedOut ? OptOutFacts() : nil,
            recognition: mark != nil ? .byID : hasRegistered ? .byToken : .unregistered,
            errors: try row["errors"] ?? 0,
            created: facts.created, registered: facts.registered, lastActive: facts.lastActive)
    }
}

extension CollectedFacts {
    /// Reads a row of `subscription` with ``DeviceFacts/selection`` and with `active_at` of its
    /// activity.
    init(row: Row) throws {
        let registered = WallTime(secondsSince1970: try row["updated_at"])
        let active: Int64? = try row["active_at"]
        self.init(
            userKey: try row["user_key"], device: try DeviceFacts(row: row),
            created: WallTime(secondsSince1970: try row["created_at"]), registered: registered,
            lastActive: max(registered, WallTime(secondsSince1970: active ?? .min)))
    }
}

extension DeviceFacts {
    /// The columns of the facts in the table `device` with the name `d`.
    static let selection = "d.language, d.os_name, d.os_version, d.model, d.name, d.brand, d.manufacturer"

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
