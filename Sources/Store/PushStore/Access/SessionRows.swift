package import PushModel

/// Finds the session that a browser presents, and lists a person's sessions.
package struct SessionReader: Sendable {
    let connection: Connection

    /// Returns a session and its person; `nil` if there is no such session or it has ended.
    package func find(
        _ token: PersonSecret, at now: WallMoment
    ) throws(StoreError) -> (person: Person, session: PersonSession)? {
        guard token.text.utf8.count <= PersonSecret.maxBytes else { return nil }
        return try connection.read("check a session") { db in
            guard let row = try db.row(sql: HotSQL.sessionOfToken, arguments: [token.digest]) else {
                return nil
            }
            let session = try PersonSession(row: row)
            guard session.ends > now, let person = try Person.find(id: row["person_id"], db),
                person.revision == (try row["revision"])
            else { return nil }
            return (person, session)
        }
    }

    /// Returns the sessions of a person that have not ended, the last used first.
    package func list(of person: Person, at now: WallMoment) throws(StoreError) -> [PersonSession] {
        try connection.read("list sessions") { db in
            try db.rows(
                sql: """
                    SELECT \(PersonSession.columns) FROM session
                    WHERE person_id = ?1 AND revision = ?2 AND ends_ms > ?3 ORDER BY used_ms DESC, id DESC
                    LIMIT ?4
                    """,
                arguments: [
                    person.id, person.revision, now.millisecondsSince1970, SessionWriter.maxSessions,
                ]
            ).map { try PersonSession(row: $0) }
        }
    }
}

/// Begins, prolongs and ends sessions.
package struct SessionWriter: Sendable {
    /// The maximum number of a person's sessions. When one more begins, the oldest ends.
    package static let maxSessions = 20
    package static let maxAddressLength = 64

    let connection: Connection

    /// Begins a session of a person.
    /// - Parameters:
    ///   - person: The person as read before the person was identified.
    ///   - checked: The time at which the person last proved to be present; `nil` if it is unknown.
    /// - Returns: `false` if the person was removed or all sessions were ended since then. Nothing was
    ///   changed.
    package func begin(
        _ token: PersonSecret, of person: Person, from address: String, checked: WallMoment?,
        at now: WallMoment
    ) throws(StoreError) -> Bool {
        try connection.write("begin a session") { db in
            guard try Person.find(id: person.id, db)?.revision == person.revision else { return false }
            let ids = try db.values(
                Int64.self, sql: "SELECT id FROM session WHERE person_id = ?1 ORDER BY id DESC",
                arguments: [person.id])
            for id in ids.dropFirst(Self.maxSessions - 1) {
                try db.execute(sql: "DELETE FROM session WHERE id = ?1", arguments: [id])
            }
            let ms = now.millisecondsSince1970
            _ = try db.insert(
                """
                INSERT INTO session (digest, person_id, revision, created_ms, used_ms, checked_ms, ends_ms, \
                address) VALUES (?1, ?2, ?3, ?4, ?4, ?7, ?5, ?6)
                """,
                [
                    token.digest, person.id, person.revision, ms,
                    PersonSession.end(ofSessionCreated: now, used: now),
                    address.printable(atMost: Self.maxAddressLength), checked?.millisecondsSince1970 ?? 0,
                ])
            try db.execute(
                sql: "UPDATE person SET login_ms = ?2 WHERE id = ?1", arguments: [person.id, ms])
            return true
        }
    }

    /// Records that a session is in use.
    package func touch(_ session: PersonSession, at now: WallMoment) throws(StoreError) {
        try connection.unnoted.write("prolong a session") { db in
            try db.execute(
                sql: "UPDATE session SET used_ms = ?2, ends_ms = ?3 WHERE id = ?1 AND used_ms < ?2",
                arguments: [
                    session.id, now.millisecondsSince1970,
                    PersonSession.end(ofSessionCreated: session.created, used: now),
                ])
        }
    }

    /// Records that the session's person has entered the password again, or has signed in again.
    /// - Returns: `false` if the session has ended in the meantime.
    package func confirm(_ session: PersonSession, at now: WallMoment) throws(StoreError) -> Bool {
        try connection.write("confirm a session") { db in
            try db.execute(
                sql: "UPDATE session SET checked_ms = ?2 WHERE id = ?1",
                arguments: [session.id, now.millisecondsSince1970]) > 0
        }
    }

    /// Ends the session that a browser presents.
    /// - Returns: `false` if there is no such session.
    package func end(_ token: PersonSecret) throws(StoreError) -> Bool {
        guard token.text.utf8.count <= PersonSecret.maxBytes else { return false }
        return try connection.write("end a session") { db in
            try db.execute(sql: "DELETE FROM session WHERE digest = ?1", arguments: [token.digest]) > 0
        }
    }

    /// Ends sessions of a person.
    /// - Parameter id: The session to end; `nil` means all sessions.
    /// - Returns: The number of the sessions that were ended.
    package func end(of person: Person, id: Int64?) throws(StoreError) -> Int {
        try connection.write("end sessions") { db in
            guard let id else {
                return try db.execute(
                    sql: "DELETE FROM session WHERE person_id = ?1", arguments: [person.id])
            }
            return try db.execute(
                sql: "DELETE FROM session WHERE person_id = ?1 AND id = ?2", arguments: [person.id, id])
        }
    }
}

/// Links and sessions that have expired.
struct ExpiredSessions {
    let db: any Session
    let now: WallMoment

    private static let tables = [("session", "id", "ends_ms"), ("person_link", "person_id", "expires_ms")]

    func isAny() throws -> Bool {
        try Self.tables.contains { table, _, time in
            try db.value(
                Int64.self, sql: "SELECT 1 FROM \(table) WHERE \(time) <= ?1 LIMIT 1",
                arguments: [now.millisecondsSince1970]) != nil
        }
    }

    /// - Returns: The number of the rows that were removed.
    func remove(limit: Int) throws -> Int {
        try Self.tables.reduce(0) { removed, table in
            let (name, key, time) = table
            return try removed
                + db.execute(
                    sql: """
                        DELETE FROM \(name) WHERE \(key) IN (
                            SELECT \(key) FROM \(name) WHERE \(time) <= ?1 ORDER BY \(time) LIMIT ?2)
                        """, arguments: [now.millisecondsSince1970, limit - removed])
        }
    }
}

extension HotSQL {
    /// ?1: the digest of the session's token. The caller checks the end: with a condition on it, PostgreSQL
    /// could choose the index of the ends.
    static let sessionOfToken =
        "SELECT person_id, revision, \(PersonSession.columns) FROM session WHERE digest = ?1"
}
