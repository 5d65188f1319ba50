/// The actions by which a host becomes the leader, and the actions of a leader.
extension PostgreSQLHosts {
    private static let millisecondsAfterGoodbye: Int64 = 5_000
    private static let serving =
        """
        SELECT id, name, session, generation, words, \(now) - word_ms AS silent_ms FROM host WHERE state \
        = 'serving'
        """

    func takeOver(
        from seen: SeenHost?, afterMilliseconds wanted: Int64
    ) throws(StoreError) -> (generation: Int64, claim: any StoreClaim)? {
        // This is checked before connections of other hosts are ended, because the silent host may have
        // reported in the meantime.
        let stillSilent = try transaction("find the leading host") { db in
            try isAsSeen(seen, afterMilliseconds: wanted, try db.row(sql: Self.serving))
        }
        guard stillSilent else { return nil }
        // A host that has left may still have a live connection that holds the lock.
        let departed = try transaction("find hosts that have left") { db in
            try db.values(
                String.self,
                sql: "SELECT session FROM host WHERE NOT (\(Self.isLive)) AND id <> ?1", arguments: [host])
        }
        // This uses a separate connection, because the writing connection may be waiting for locks that the
        // other hosts' connections hold.
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
        // This host already leads, after a take-over whose answer was lost.
        if found.session == session { return true }
        // If a clock was set back, the time since the last report has no meaning.
        return found == seen && (found.host == host || silent >= wanted || silent < 0)
    }

    private func takeOver(
        from seen: SeenHost?, afterMilliseconds wanted: Int64, _ db: any Session
    ) throws -> Int64? {
        // A host that was on standby while a later release migrated the store must not write to it.
        guard try db.value(Int.self, sql: "SELECT version FROM store") == PostgreSQLSchema.version else {
            throw StoreError(.newerVersion(unknown: "tables that were changed in the meantime"), path: place)
        }
        // The lock on the row ensures that a renewal in progress ends first.
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
        // The connections are ended first: what a host has recorded by then counts, and the host can record
        // nothing afterwards. A host that has announced its departure may be about to close its connections
        // itself.
        let left = try transaction("find hosts that have left") { db in
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
