/// What a host does to lead, and because it leads.
extension PostgreSQLHosts {
    private static let millisecondsAfterGoodbye: Int64 = 5_000
    private static let serving =
        "SELECT id, name, session, generation, words, \(now) - word_ms AS silent_ms FROM host WHERE state = 'serving'"

    func takeOver(
        from seen: SeenHost?, afterMilliseconds wanted: Int64
    ) throws(StoreError) -> (generation: Int64, claim: any StoreClaim)? {
        // Before anybody's connections are ended: it may have spoken meanwhile.
        let stillSilent = try transaction("look who leads") { db in
            try isAsSeen(seen, afterMilliseconds: wanted, try db.row(sql: Self.serving))
        }
        guard stillSilent else { return nil }
        // A goodbye may have been said by a connection that lives on, with the lock.
        let departed = try transaction("look who has gone") { db in
            try db.values(
                String.self,
                sql: "SELECT session FROM host WHERE NOT (\(Self.isLive)) AND id <> ?1", arguments: [host])
        }
        // By this connection: the writing one may be waiting for what theirs hold.
        for old in departed + [seen?.session].compactMap(\.self) where old != session {
            try endConnections(of: old)
        }
        do {
            let generation = try writer.takeOver { db in
                try takeOver(from: seen, afterMilliseconds: wanted, db)
            }
            return generation.map { ($0, PostgreSQLClaim(writer)) }
        } catch {
            throw StoreError(postgreSQL: error, during: "take over", place: place)
        }
    }

    private func isAsSeen(
        _ seen: SeenHost?, afterMilliseconds wanted: Int64, _ row: Row?
    ) throws -> Bool {
        guard let row else { return true }
        let silent: Int64 = try row["silent_ms"]
        let found = try Self.seen(row)
        // It has the place already, by a take-over whose answer was lost.
        if found.session == session { return true }
        // A clock that was set back says nothing.
        return found == seen && (found.host == host || silent >= wanted || silent < 0)
    }

    private func takeOver(
        from seen: SeenHost?, afterMilliseconds wanted: Int64, _ db: any Session
    ) throws -> Int64? {
        // Whoever stood by while a later release migrated the store is not to write to it.
        guard try db.value(Int.self, sql: "SELECT version FROM store") == PostgreSQLSchema.version else {
            throw StoreError(.newerVersion(unknown: "its tables were changed meanwhile"), path: place)
        }
        // The row's lock: a renewal that is under way ends before.
        let row = try db.row(sql: Self.serving + " FOR UPDATE")
        guard try isAsSeen(seen, afterMilliseconds: wanted, row) else { return nil }
        if let found = try row.map(Self.seen) {
            try db.execute(
                sql: "UPDATE host SET state = 'lost', since_ms = \(Self.now) WHERE id = ?1",
                arguments: [found.host])
        }
        let generation = 1 + (try db.value(Int64.self, sql: "SELECT max(generation) FROM host") ?? 0)
        let changed = try db.execute(
            sql: """
                UPDATE host SET state = 'serving', since_ms = \(Self.now), word_ms = \(Self.now),
                    lease_end_ms = \(Self.now) + ?4, generation = ?3
                WHERE id = ?1 AND session = ?2 AND (\(Self.isLive) OR id = ?5)
                """,
            arguments: [host, session, generation, wanted, row.map { try Self.seen($0).host } ?? ""])
        guard changed == 1 else { throw StoreError(.sameHost(id: host), path: place) }
        return generation
    }

    func end(_ silent: [SeenHost], afterMilliseconds wanted: Int64) throws(StoreError) -> [SeenHost] {
        guard !silent.isEmpty else { return [] }
        let ended = try transaction("end silent hosts") { db in
            try silent.filter { seen in
                try db.execute(
                    sql: """
                        UPDATE host SET state = 'lost', since_ms = \(Self.now)
                        WHERE id = ?1 AND session = ?2 AND words = ?3 AND state IN ('sending', 'standby')
                            AND (\(Self.now) - word_ms >= ?4 OR word_ms > \(Self.now))
                        """,
                    arguments: [seen.host, seen.session, seen.word, wanted]) > 0
            }
        }
        if !ended.isEmpty { try freeParts() }
        return ended
    }

    func freeParts() throws(StoreError) {
        // First their connections: what one has recorded by then counts, and nothing does afterwards. One that
        // has said goodbye may be about to close them itself.
        let left = try transaction("look who has gone") { db in
            try db.values(
                String.self,
                sql: """
                    SELECT session FROM host WHERE id <> ?1 AND NOT (\(Self.isLive))
                        AND (state = 'lost' OR since_ms < \(Self.now) - ?2)
                        AND EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.application_name = session)
                    """,
                arguments: [host, Self.millisecondsAfterGoodbye])
        }
        for session in left { try endConnections(of: session) }
        try transaction("free parts") { db in
            _ = try db.execute(
                sql: """
                    DELETE FROM part_lease WHERE term NOT IN (SELECT h.term FROM host h WHERE \(Self.isLive))
                    """)
        }
    }
}
