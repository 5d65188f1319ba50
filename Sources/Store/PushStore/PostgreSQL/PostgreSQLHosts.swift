internal import Dispatch

/// Hosts in the table `host`. This host's reports and lease use a separate connection; a take-over uses the
/// writing connection.
final class PostgreSQLHosts: HostRegister, @unchecked Sendable {
    let host: String
    let place: String
    let writer: PostgreSQLWriter
    /// The random identifier of this process, which never changes.
    let session: String
    private let term: HostTerm
    private let ownLeases: PostgreSQLLeases
    /// **The fence:** used under `lock`.
    private let channel: PostgreSQLChannel
    private let lock = DispatchSemaphore(value: 1)
    private let waker = Waker()

    /// Milliseconds of the server's clock, which advances within a transaction.
    static let now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    static let presentGeneration = "SELECT generation FROM host WHERE state = 'serving'"
    static let isLive = "state IN ('serving', 'sending', 'standby')"
    /// Whether some host may send at this moment, regardless of whether its process has a connection.
    static let areSending =
        "EXISTS (SELECT 1 FROM host WHERE state IN ('serving', 'sending') AND lease_end_ms > \(now))"
    static let list = """
        SELECT id, name, release, since_ms,
            CASE WHEN is_drained = 1 AND state IN ('serving', 'sending') THEN 'draining'
                WHEN is_drained = 1 AND state = 'standby' THEN 'drained'
                WHEN state = 'serving' THEN 'leading' ELSE state END AS state,
            \(now) - word_ms AS silent_ms, generation,
            (SELECT count(*) FROM part_lease l WHERE l.term = host.term) AS parts,
            CASE WHEN \(isLive) THEN unrecorded ELSE 0 END AS unrecorded,
            CASE WHEN \(isLive) THEN answers_per_second ELSE 0 END AS answers_per_second
        FROM host
        ORDER BY CASE state WHEN 'serving' THEN 0 WHEN 'sending' THEN 1 WHEN 'standby' THEN 2 ELSE 3 END, \
        name, id
        LIMIT 1000
        """
    /// How long a host remains in the list after it has left.
    private static let keptMilliseconds: Int64 = 7 * 86_400_000
    private static let drainedKeptMilliseconds: Int64 = 90 * 86_400_000
    private static let columns = "id, name, session, generation, words"

    init(
        host: String, place: String, term: HostTerm, channel: PostgreSQLChannel, leases: PostgreSQLLeases,
        writer: PostgreSQLWriter
    ) {
        (self.host, self.place, self.term, self.channel) = (host, place, term, channel)
        (ownLeases, self.writer, session) = (leases, writer, channel.application)
    }

    func leases() -> any PartLeases { ownLeases }

    // MARK: Entering

    func enter(name: String, release: String, replacing old: String?) throws(StoreError) -> HostEntry {
        try checkAccounts()
        // The write lock ensures that no two hosts have the same number.
        let (entry, number) = try transaction("register this host", .write) { db in
            let number = 1 + (try db.value(Int64.self, sql: "SELECT max(term) FROM host") ?? 0)
            let entered = try db.execute(
                sql: """
                    INSERT INTO host (id, name, release, session, state, since_ms, words, word_ms, \
                    lease_end_ms,
                            generation, term)
                    VALUES (?1, ?2, ?3, ?4, 'standby', \(Self.now), 0, \(Self.now), 0, 0, ?6)
                    ON CONFLICT (id) DO UPDATE SET name = ?2, release = ?3, session = ?4,
                            words = host.words + 1, word_ms = \(Self.now), term = ?6, shares = 0, obeyed_ms
                            = 0,
                            state = 'standby', since_ms = \(Self.now)
                        WHERE host.session IN (?4, ?5) OR host.state IN ('gone', 'lost')
                    """,
                arguments: [host, name, release, session, old ?? "", number])
            if entered > 0 {
                try Self.forget(otherThan: host, db)
                return (HostEntry.entered, number)
            }
            let row = try db.row(
                sql: "SELECT \(Self.columns) FROM host WHERE id = ?1", arguments: [host])
            guard let row else { throw UnreadableValue() }
            let seen = try Self.seen(row)
            let isConnected = try db.value(
                Bool.self,
                sql: "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = ?1)",
                arguments: [seen.session])
            return (HostEntry.known(seen, isConnected: isConnected ?? true), number)
        }
        guard entry == .entered else { return entry }
        term.begin(number)
        writer.entered()
        // The old connection may still hold the master's lock if the server has not noticed that the client
        // is gone.
        if let old, old != session { try endConnections(of: old) }
        return entry
    }

    /// Removes hosts that left long ago. The rows with the highest numbers remain, whichever hosts they
    /// belong to, so that no number is used twice. A drained host remains in the list for longer, because it
    /// may return.
    private static func forget(otherThan host: String, _ db: any Session) throws {
        try db.run(
            sql: """
                DELETE FROM host WHERE id <> ?1 AND state <> 'serving'
                    AND word_ms < \(Self.now) - CASE is_drained WHEN 1 THEN ?3 ELSE ?2 END
                    AND generation < (SELECT max(h.generation) FROM host h)
                    AND term < (SELECT max(h.term) FROM host h)
                """,
            arguments: [host, Self.keptMilliseconds, Self.drainedKeptMilliseconds])
    }

    /// Checks that each host can end the connections of every other host. A host that cannot end another
    /// host's connections cannot take over from it.
    private func checkAccounts() throws(StoreError) {
        let foreign = try transaction("check the accounts of other hosts") { db in
            try db.value(
                String.self,
                sql: """
                    SELECT a.usename FROM pg_stat_activity a
                        JOIN pg_roles theirs ON theirs.oid = a.usesysid
                        JOIN pg_roles own ON own.rolname = current_user
                    WHERE a.application_name IN (SELECT session FROM host WHERE \(Self.isLive) AND id <> ?1)
                        AND NOT (\(Self.mayEnd("own", "theirs")) AND \(Self.mayEnd("theirs", "own")))
                    LIMIT 1
                    """,
                arguments: [host])
        }
        guard let foreign else { return }
        throw StoreError(.accountOfOthers(name: foreign), path: place)
    }

    private static func mayEnd(_ one: String, _ other: String) -> String {
        """
        (pg_has_role(\(one).oid, \(other).oid, 'USAGE')
            OR pg_has_role(\(one).oid, 'pg_signal_backend', 'USAGE') AND NOT \(other).rolsuper)
        """
    }

    func endConnections(of session: String) throws(StoreError) {
        lock.wait()
        defer { lock.signal() }
        do { try channel.connected().endConnections(of: session) } catch {
            channel.leave(after: error)
            if error as? PostgreSQLError == .answer(state: PostgreSQLError.notAllowed) {
                throw StoreError(.accountOfOthers(name: "another one"), path: place)
            }
            throw StoreError(postgreSQL: error, during: "end a host's connections", place: place)
        }
    }

    // MARK: Reports

    func look(saying word: HostReport) throws(StoreError) -> HostUpdate {
        try transaction("exchange reports with the other hosts") { db in
            let said = try db.execute(
                sql: """
                    UPDATE host SET words = words + 1, word_ms = \(Self.now), shares = ?4, obeyed_ms = ?5,
                        lease_end_ms = \(Self.now) + ?6, unrecorded = ?7, answers_per_second = ?8,
                        since_ms = CASE WHEN state = ?3 OR state = 'serving' THEN since_ms ELSE \(Self.now)
                        END,
                        state = CASE state WHEN 'serving' THEN state ELSE ?3 END
                    WHERE id = ?1 AND session = ?2 AND \(Self.isLive)
                    """,
                arguments: [
                    host, session, word.sends ? "sending" : "standby", word.shares, word.obeyedMilliseconds,
                    word.goodForMilliseconds, word.unrecorded, word.answersPerSecond,
                ])
            return try news(hasPlace: said > 0, db)
        }
    }

    func renew(
        generation: Int64, forMilliseconds lease: Int64, saying word: HostReport
    ) throws(StoreError) -> HostUpdate {
        try transaction("renew the lease") { db in
            let said = try db.execute(
                sql: """
                    UPDATE host SET words = words + 1, word_ms = \(Self.now), lease_end_ms = \(Self.now) + ?4,
                        shares = ?5, obeyed_ms = ?6, unrecorded = ?7, answers_per_second = ?8
                    WHERE id = ?1 AND session = ?2 AND generation = ?3 AND state = 'serving'
                    """,
                arguments: [
                    host, session, generation, lease, word.shares, word.obeyedMilliseconds, word.unrecorded,
                    word.answersPerSecond,
                ])
            return try news(hasPlace: said > 0, db)
        }
    }

    private func news(hasPlace: Bool, _ db: any Session) throws -> HostUpdate {
        let rows = try db.rows(
            sql: """
                SELECT \(Self.columns), state = 'serving' AS leads, shares, is_drained, \(Self.now) AS now_ms,
                    (SELECT version FROM store) AS version
                FROM host
                WHERE \(Self.isLive) ORDER BY id
                """)
        var news = HostUpdate(hasPlace: hasPlace)
        for row in rows {
            news.storeMilliseconds = try row["now_ms"]
            let seen = try Self.seen(row)
            if seen.session == session {
                let isDrained: Int64 = try row["is_drained"]
                news.isDrained = isDrained == 1
                let version: Int = try row["version"]
                guard version == PostgreSQLSchema.version else {
                    throw StoreError(
                        .newerVersion(unknown: "tables that were changed in the meantime"), path: place)
                }
                if try row["leads"] { news.ownLead = seen }
            }
            // If an earlier process of this host was the leader, this process must take over from it as well.
            guard seen.session != session || !hasPlace else { continue }
            news.others.append(LiveHost(seen, leads: try row["leads"], shares: try row["shares"]))
        }
        return news
    }

    func leave() throws(StoreError) {
        try transaction("announce this host's departure") { db in
            _ = try db.execute(
                sql: """
                    UPDATE host SET state = 'gone', since_ms = \(Self.now), word_ms = \(Self.now),
                        lease_end_ms = \(Self.now)
                    WHERE id = ?1 AND session = ?2 AND \(Self.isLive)
                    """,
                arguments: [host, session])
            _ = try db.execute(
                sql: "DELETE FROM part_lease WHERE term = ?1", arguments: [term.now ?? 0])
        }
    }

    func stepDown() throws(StoreError) {
        try transaction("give up the lead") { db in
            _ = try db.execute(
                sql: """
                    UPDATE host SET state = 'standby', since_ms = \(Self.now), lease_end_ms = \(Self.now)
                    WHERE id = ?1 AND session = ?2 AND state = 'serving'
                    """,
                arguments: [host, session])
        }
    }

    func drain(_ id: String, _ isWanted: Bool, noting note: AuditNote?) throws(StoreError) -> Bool {
        let change = { (db: any Session) throws -> Bool in
            try db.execute(
                sql: "UPDATE host SET is_drained = ?2 WHERE id = ?1", arguments: [id, isWanted ? 1 : 0]) > 0
        }
        return try transaction("drain a host") { db in try note?.add(to: db, change).value ?? change(db) }
    }

    // MARK: Announcements

    func announce() throws(StoreError) {
        lock.wait()
        defer { lock.signal() }
        do { try channel.connected().notify() } catch {
            channel.leave(after: error)
            throw StoreError(postgreSQL: error, during: "notify the other hosts", place: place)
        }
    }

    func waitForAnnouncement(atMostMilliseconds limit: Int32) -> Bool {
        lock.wait()
        defer { lock.signal() }
        defer { waker.rest() }
        guard let link = channel.present else {
            // The next report makes another connection.
            waker.wait(atMostMilliseconds: limit)
            return false
        }
        guard link.isListening else {
            do { try link.listen() } catch { channel.leave(after: error) }
            // Announcements before this point are not received, so the caller must assume that there was one.
            return link.isListening
        }
        let isAnnounced = link.waitForNotification(or: waker.descriptor, atMostMilliseconds: limit)
        if !link.isAlive { waker.wait(atMostMilliseconds: limit) }
        return isAnnounced
    }

    func wake() { waker.wake() }

    // MARK: Transactions

    static func seen(_ row: Row) throws -> SeenHost {
        SeenHost(
            host: try row["id"], name: try row["name"], session: try row["session"],
            generation: try row["generation"], word: try row["words"])
    }

    @_semantics("optimize.sil.specialize.generic.never")
    func transaction<Value>(
        _ what: String, _ kind: PostgreSQLLink.Kind = .ownRows, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        lock.wait()
        defer { lock.signal() }
        do {
            let link: PostgreSQLLink
            do { link = try channel.connected() } catch {
                // This host must not lose its lease because the server has no free connections.
                guard let value = try? writer.lend(kind, { try body($0) }) else { throw error }
                return value
            }
            return try link.transaction(kind) { try body(PostgreSQLSession(link)) }
        } catch {
            channel.leave(after: error)
            throw StoreError(postgreSQL: error, during: what, place: place)
        }
    }
}
