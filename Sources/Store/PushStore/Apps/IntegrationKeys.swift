package import PushModel

/// The keys of an app that has two, and how often devices registered with each since the second key was
/// added. Operates within the caller's transaction.
///
/// An app has two keys while a new build replaces an installed one. Only then are its registrations counted
/// by key, so registrations with other apps write nothing here.
struct IntegrationKeys {
    /// SQL that yields an app's key that is not its `integration_key`; NULL if it has a single key.
    static let formerKey = """
        (SELECT k.key FROM app_key k WHERE k.app_id = app.id AND k.key <> app.integration_key LIMIT 1)
        """

    let db: any Session

    /// Stores the keys of the app. Counts of keys that the app keeps are kept.
    func set(_ settings: AppSettings, of app: AppID, at now: Int64) throws {
        guard let former = settings.formerIntegrationKey else { return try forget(app) }
        try db.run(
            sql: "DELETE FROM app_key WHERE app_id = ?1 AND key NOT IN (?2, ?3)",
            arguments: [app.rawValue, settings.integrationKey, former])
        for key in settings.integrationKeys {
            try db.run(
                sql: """
                    INSERT INTO app_key (app_id, key, added_at) VALUES (?1, ?2, ?3)
                    ON CONFLICT (app_id, key) DO NOTHING
                    """,
                arguments: [app.rawValue, key, now])
        }
    }

    func forget(_ app: AppID) throws {
        try db.run(sql: "DELETE FROM app_key WHERE app_id = ?1", arguments: [app.rawValue])
    }

    private struct Key: Hashable, Comparable {
        var app: AppID
        var key: ExactText
        static func < (left: Self, right: Self) -> Bool {
            left.app == right.app
                ? left.key.text.utf8.lexicographicallyPrecedes(right.key.text.utf8) : left.app < right.app
        }
    }

    /// Counts registrations. A key that the app no longer has is not counted.
    func count(_ registrations: [RegistrationRecord]) throws {
        var sums: [Key: (registrations: Int, last: WallTime)] = [:]
        for registration in registrations {
            guard let key = registration.countedKey else { continue }
            let name = Key(app: registration.app, key: ExactText(key))
            let sum = sums[name] ?? (0, registration.at.time)
            sums[name] = (sum.registrations + 1, max(sum.last, registration.at.time))
        }
        // Always use the same order, so that two hosts that count the same keys never wait for each other in
        // a deadlock.
        for (name, sum) in sums.sorted(by: { $0.key < $1.key }) {
            try db.run(
                sql: """
                    UPDATE app_key SET registrations = registrations + ?3, last_at = ?4
                    WHERE app_id = ?1 AND key = ?2
                    """,
                arguments: [
                    name.app.rawValue, name.key.text, sum.registrations, sum.last.secondsSince1970,
                ])
        }
    }
}

/// The registrations with a key of an app, counted while the app has two keys.
package struct IntegrationKeyUse: Equatable, Sendable {
    package var key: String
    /// The time since which registrations are counted.
    package var since: WallTime
    package var registrations: Int
    /// The time of the last registration; `nil` if there was none.
    package var last: WallTime?
}

extension Catalogue {
    /// Returns the use of each key of an app that has two keys, in the order of
    /// ``AppSettings/integrationKeys``; empty if the app has a single key.
    package func integrationKeyUse(of app: App) throws(StoreError) -> [IntegrationKeyUse] {
        guard app.settings.formerIntegrationKey != nil else { return [] }
        let uses = try connection.read("read the use of integration keys") { db in
            try db.rows(
                sql: "SELECT key, added_at, registrations, last_at FROM app_key WHERE app_id = ?1",
                arguments: [app.id.rawValue]
            ).map { row in
                let last: Int64? = try row["last_at"]
                return IntegrationKeyUse(
                    key: try row["key"], since: WallTime(secondsSince1970: try row["added_at"]),
                    registrations: try row["registrations"],
                    last: last.map { WallTime(secondsSince1970: $0) })
            }
        }
        return app.settings.integrationKeys.compactMap { key in
            uses.first { ExactText($0.key) == ExactText(key) }
        }
    }
}
