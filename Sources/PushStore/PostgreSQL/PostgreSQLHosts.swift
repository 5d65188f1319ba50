internal import Dispatch

/// Hosts in the table `host`: this one's word and lease by a connection of its own, a take-over by the
/// writing one.
final class PostgreSQLHosts: HostRegister, @unchecked Sendable {
    let host: String
    private let place: String
    private let writer: PostgreSQLWriter
    /// **The fence:** used under `lock`.
    private let channel: PostgreSQLChannel
    private let lock = DispatchSemaphore(value: 1)
    private var session: String { channel.application }

    /// Milliseconds of the server's clock, as it goes on within a transaction.
    private static let now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    private static let serving =
        "SELECT id, name, session, generation, words FROM host WHERE state = 'serving'"
    static let presentGeneration = "SELECT generation FROM host WHERE state = 'serving'"
    static let list = """
        SELECT id, name, release, state, since_ms, \(now) - word_ms AS silent_ms, generation FROM host
        ORDER BY CASE state WHEN 'serving' THEN 0 WHEN 'standby' THEN 1 ELSE 2 END, name, id LIMIT 1000
        """
    /// A host that is gone is listed for so long.
    private static let keptMilliseconds: Int64 = 7 * 86_400_000

    init(host: String, place: String, channel: PostgreSQLChannel, writer: PostgreSQLWriter) {
        (self.host, self.place, self.channel, self.writer) = (host, place, channel, writer)
    }

    func enter(name: String, release: String, replacing old: String?) throws(StoreError) -> HostEntry {
        try transaction("enter this host") { db in
            let entered = try db.execute(
                sql: """
                    INSERT INTO host
                        (id, name, release, session, state, since_ms, words, word_ms, lease_end_ms, generation)
                    VALUES (?1, ?2, ?3, ?4, 'standby', \(Self.now), 0, \(Self.now), 0, 0)
                    ON CONFLICT (id) DO UPDATE SET name = ?2, release = ?3, session = ?4,
                            words = host.words + 1,
                            word_ms = \(Self.now)
                        WHERE host.session IN (?4, ?5) OR host.state = 'gone'
                    """,
                arguments: [host, name, release, session, old ?? ""])
            if entered > 0 {
                // Its connection may have the master's lock still, if nobody told the server that it is gone.
                if let old, old != session {
                    _ = try db.rows(
                        sql: """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?1
                            """,
                        arguments: [old])
                }
                // The highest generation stays, whoever had it: it never comes again.
                try db.run(
                    sql: """
                        DELETE FROM host WHERE state IN ('gone', 'lost', 'standby') AND id <> ?1
                            AND word_ms < \(Self.now) - ?2
                            AND generation < (SELECT max(h.generation) FROM host h)
                        """,
                    arguments: [host, Self.keptMilliseconds])
                return .entered
            }
            let row = try db.row(
                sql: "SELECT id, name, session, generation, words FROM host WHERE id = ?1",
                arguments: [host])
            guard let row else { throw UnreadableValue() }
            let seen = try Self.seen(row)
            let isConnected = try db.value(
                Bool.self,
                sql: "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = ?1)",
                arguments: [seen.session])
            return .known(seen, isConnected: isConnected ?? true)
        }
    }

    func look() throws(StoreError) -> SeenHost? {
        let place = place
        return try transaction("look who serves") { db in
            let said = try db.execute(
                sql: """
                    UPDATE host SET words = words + 1, word_ms = \(Self.now),
                        since_ms = CASE WHEN state IN ('serving', 'standby') THEN since_ms ELSE \(Self.now) END,
                        state = CASE state WHEN 'serving' THEN state ELSE 'standby' END
                    WHERE id = ?1 AND session = ?2
                    """,
                arguments: [host, session])
            guard said > 0 else { throw StoreError(.sameHost(id: host), path: place) }
            return try db.row(sql: Self.serving).map { try Self.seen($0) }
        }
    }

    func takeOver(
        from seen: SeenHost?, afterMilliseconds wanted: Int64
    ) throws(StoreError) -> (generation: Int64, claim: any StoreClaim)? {
        do {
            let generation = try writer.takeOver(endingConnectionsOf: seen?.session) { db in
                try takeOver(from: seen, afterMilliseconds: wanted, db)
            }
            return generation.map { ($0, PostgreSQLClaim(writer)) }
        } catch {
            throw StoreError(postgreSQL: error, during: "take over", place: place)
        }
    }

    private func takeOver(
        from seen: SeenHost?, afterMilliseconds wanted: Int64, _ db: any Session
    ) throws -> Int64? {
        // Whoever stood by while a later release migrated the store is not to write to it.
        guard try db.value(Int.self, sql: "SELECT version FROM store") == PostgreSQLSchema.version else {
            throw StoreError(.newerVersion(unknown: "its tables were changed meanwhile"), path: place)
        }
        // The row's lock: a renewal that is under way ends before.
        let row = try db.row(
            sql: """
                SELECT id, name, session, generation, words, \(Self.now) - word_ms AS silent_ms
                FROM host WHERE state = 'serving' FOR UPDATE
                """)
        if let row {
            let silent: Int64 = try row["silent_ms"]
            let found = try Self.seen(row)
            // A clock that was set back says nothing.
            let isTime = found.host == host || silent >= wanted || silent < 0
            guard found == seen, isTime else { return nil }
            try db.execute(
                sql: "UPDATE host SET state = 'lost', since_ms = \(Self.now) WHERE id = ?1",
                arguments: [found.host])
        }
        let generation = 1 + (try db.value(Int64.self, sql: "SELECT max(generation) FROM host") ?? 0)
        let changed = try db.execute(
            sql: """
                UPDATE host SET state = 'serving', since_ms = \(Self.now), word_ms = \(Self.now),
                    lease_end_ms = \(Self.now) + ?4, generation = ?3
                WHERE id = ?1 AND session = ?2
                """,
            arguments: [host, session, generation, wanted])
        guard changed == 1 else { throw StoreError(.sameHost(id: host), path: place) }
        return generation
    }

    func renew(generation: Int64, forMilliseconds lease: Int64) throws(StoreError) -> Bool {
        try transaction("renew the lease") { db in
            try db.execute(
                sql: """
                    UPDATE host SET words = words + 1, word_ms = \(Self.now), lease_end_ms = \(Self.now) + ?4
                    WHERE id = ?1 AND session = ?2 AND generation = ?3 AND state = 'serving'
                    """,
                arguments: [host, session, generation, lease]) == 1
        }
    }

    func leave() throws(StoreError) {
        try transaction("say goodbye") { db in
            _ = try db.execute(
                sql: """
                    UPDATE host SET state = 'gone', since_ms = \(Self.now), word_ms = \(Self.now),
                        lease_end_ms = \(Self.now)
                    WHERE id = ?1 AND session = ?2
                    """,
                arguments: [host, session])
        }
    }

    private static func seen(_ row: Row) throws -> SeenHost {
        SeenHost(
            host: try row["id"], name: try row["name"], session: try row["session"],
            generation: try row["generation"], word: try row["words"])
    }

    private func transaction<Value>(
        _ what: String, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        lock.wait()
        defer { lock.signal() }
        do {
            let link = try channel.connected()
            return try link.transaction(.ownRows) { try body(PostgreSQLSession(link)) }
        } catch {
            channel.leave(after: error)
            throw StoreError(postgreSQL: error, during: what, place: place)
        }
    }
}
