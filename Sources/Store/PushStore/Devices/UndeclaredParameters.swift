package import PushModel

/// Counts, by name, how often devices sent parameters that their app does not declare. Operates within the
/// caller's transaction.
///
/// Devices choose the names. Therefore, at most ``maximumNames`` names of an app, each shortened to
/// ``maximumCharacters`` characters, are counted separately; further names are counted together. Hosts that
/// count at the same moment do not see each other's new names, so together they may exceed the limit.
struct UndeclaredParameters {
    static let maximumNames = 20
    static let maximumCharacters = 64
    /// The maximum number of names of one registration that are counted separately; further names are counted
    /// together.
    private static let maximumNamesOfRegistration = 8
    /// The name of the row for further names. No parameter has an empty name.
    static let furtherNames = ""

    let db: any Session

    /// Returns the number of rows that a registration with the given number of undeclared names may change.
    static func rows(for names: Int) -> Int { min(names, maximumNamesOfRegistration + 1) }

    fileprivate struct Sum {
        var registrations = 0
        var last = WallTime(secondsSince1970: 0)
    }

    func count(_ registrations: [RegistrationRecord]) throws {
        var sums: [AppID: [String: Sum]] = [:]
        for registration in registrations where !registration.undeclaredNames.isEmpty {
            for name in Self.counted(registration.undeclaredNames) {
                sums[registration.app, default: [:]][name, default: Sum()].add(registration.at.time)
            }
        }
        // Always use the same order, so that two hosts that count the same names never wait for each other in
        // a deadlock.
        for (app, names) in sums.sorted(by: { $0.key < $1.key }) { try add(names, to: app) }
    }

    /// Returns each name once, with ``furtherNames`` in place of the names beyond the limit.
    private static func counted(_ names: [String]) -> Set<String> {
        let shortened = names.map { $0.printable(atMost: maximumCharacters) }
        guard shortened.count > maximumNamesOfRegistration else { return Set(shortened) }
        return Set(shortened.prefix(maximumNamesOfRegistration) + [furtherNames])
    }

    fileprivate func add(_ names: [String: Sum], to app: AppID) throws {
        var known = Set(
            try db.values(
                String.self, sql: "SELECT name FROM undeclared_parameter WHERE app_id = ?1",
                arguments: [app.rawValue]))
        known.insert(Self.furtherNames)
        var rows: [String: Sum] = [:]
        for (name, sum) in names.sorted(by: { $0.key < $1.key }) {
            if known.count <= Self.maximumNames { known.insert(name) }
            rows[known.contains(name) ? name : Self.furtherNames, default: Sum()].add(sum)
        }
        for (name, sum) in rows.sorted(by: { $0.key < $1.key }) {
            try db.run(
                sql: """
                    INSERT INTO undeclared_parameter (app_id, name, registrations, last_at) VALUES (?1, ?2, \
                    ?3, ?4)
                    ON CONFLICT (app_id, name) DO UPDATE SET
                        registrations = undeclared_parameter.registrations + excluded.registrations,
                        last_at = excluded.last_at
                    """,
                arguments: [app.rawValue, name, sum.registrations, sum.last.secondsSince1970])
        }
    }

    /// Deletes the app's counts, so that counting begins again.
    func forget(_ app: AppID) throws {
        try db.run(sql: "DELETE FROM undeclared_parameter WHERE app_id = ?1", arguments: [app.rawValue])
    }
}

extension UndeclaredParameters.Sum {
    fileprivate mutating func add(_ time: WallTime) {
        registrations += 1
        last = max(last, time)
    }

    fileprivate mutating func add(_ other: Self) {
        registrations += other.registrations
        last = max(last, other.last)
    }
}

/// A parameter that devices of an app sent and that the app does not declare.
package struct UndeclaredParameter: Codable, Equatable, Sendable {
    /// The name, printable and shortened; `nil` in the entry that counts all further names together.
    package var name: String?
    package var registrations: Int
    package var lastAt: WallTime
}

extension Catalogue {
    /// Returns the app's undeclared parameters, with the most frequent first and the entry for further names
    /// last.
    ///
    /// A name that the app declares is left out: another host that had not read the declaration yet may have
    /// counted it.
    package func undeclaredParameters(of app: App) throws(StoreError) -> [UndeclaredParameter] {
        let declared = app.settings.parameters.map {
            $0.name.printable(atMost: UndeclaredParameters.maximumCharacters)
        }
        return try connection.read("list undeclared parameters") { db in
            try db.rows(
                sql: """
                    SELECT name, registrations, last_at FROM undeclared_parameter WHERE app_id = ?1
                    ORDER BY CASE WHEN name = '' THEN 1 ELSE 0 END, registrations DESC, name
                    """,
                arguments: [app.id.rawValue]
            ).compactMap { row -> UndeclaredParameter? in
                let name: String = try row["name"]
                if declared.contains(name) { return nil }
                return UndeclaredParameter(
                    name: name == UndeclaredParameters.furtherNames ? nil : name,
                    registrations: try row["registrations"],
                    lastAt: WallTime(secondsSince1970: try row["last_at"]))
            }
        }
    }
}
