package import PushModel

/// Searches for data whose retention time has passed. See also ``RetentionWriter``.
package struct RetentionReader: Sendable {
    let connection: Connection

    /// The result of one search.
    package struct SearchResult: Equatable, Sendable {
        /// The kinds of rows that must be removed now, in order.
        package var kinds: [RetentionKind] = []
        /// The time at which the next delivery's messages must be removed; `nil` if none is known.
        package var nextEnd: WallMoment?
    }

    /// Searches with a few index steps, regardless of the amount of data.
    package func look(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> SearchResult {
        try connection.read("look for rows to be removed") { db in
            var look = SearchResult()
            let next = try EndedDeliveries(db: db, rules: rules).next()
            let isBegun = try db.value(Int64.self, sql: HotSQL.nextToRemove) != nil
            if isBegun || next.map({ $0.end <= now }) ?? false { look.kinds.append(.messages) }
            if let next, next.end > now { look.nextEnd = next.end }
            let others = Leftovers(db: db, rules: rules, now: now)
            if try !others.subscribers(limit: 1).isEmpty { look.kinds.append(.subscribers) }
            if try others.accountWithVerdicts() != nil { look.kinds.append(.verdicts) }
            if try !others.names(limit: 1).isEmpty { look.kinds.append(.names) }
            if try !MessageIdempotency(db: db, now: now.time).old(limit: 1).isEmpty {
                look.kinds.append(.requests)
            }
            if try RecipientLists(db: db).superfluous(at: now) != nil { look.kinds.append(.lists) }
            if try ExpiredSessions(db: db, now: now).isAny() { look.kinds.append(.sessions) }
            return look
        }
    }
}

/// Leftovers other than messages, read within the caller's transaction.
struct Leftovers {
    let db: any Session
    let rules: RetentionRules
    let now: WallMoment

    /// Returns subscriptions whose tokens have been in quarantine for too long.
    func subscribers(limit: Int) throws -> [Int64] {
        guard let end = rules.quarantineEnd(at: now) else { return [] }
        return try db.values(Int64.self, sql: HotSQL.longExcluded, arguments: [end, limit])
    }

    /// Returns an account whose oldest verdict is older than the retention time of messages. Accounts with a
    /// storm are omitted, because their verdicts wait for an operator.
    func accountWithVerdicts() throws -> Int64? {
        guard let end = rules.messagesEnd(at: now) else { return nil }
        return try db.value(
            Int64.self,
            sql: """
                SELECT id FROM account_trust t WHERE storm_ms IS NULL AND waiting > 0 AND (
                    SELECT decided_ms FROM held_verdict WHERE account_id = t.id ORDER BY id LIMIT 1) < ?1
                    LIMIT 1
                """, arguments: [end * 1_000])
    }

    /// Returns the account's rows of verdicts that are past the retention time of messages, and the number of
    /// verdicts in each row.
    func verdicts(of account: Int64, limit: Int) throws -> [(row: Int64, count: Int)] {
        guard let end = rules.messagesEnd(at: now) else { return [] }
        let rows = try db.rows(
            sql: "SELECT id, count, decided_ms FROM held_verdict WHERE account_id = ?1 ORDER BY id LIMIT ?2",
            arguments: [account, limit])
        let old = try rows.prefix { row in
            let decided: Int64 = try row["decided_ms"]
            return decided < end * 1_000
        }
        return try old.map { (try $0["id"], VerdictRow.count(try $0["count"])) }
    }

    /// Returns subscribers that were removed before the oldest part was created. No part can refer to them,
    /// because parts are created in the order of their numbers, each after its delivery began.
    func names(limit: Int) throws -> [Int64] {
        guard let end = try namesEnd() else { return [] }
        return try db.values(Int64.self, sql: HotSQL.oldNames, arguments: [end, limit])
    }

    /// Returns the time before which a subscriber must have been removed so that its user key can be deleted;
    /// `nil` if no user key can.
    func namesEnd() throws -> Int64? {
        let hasParts = try db.value(Int64.self, sql: "SELECT id FROM part ORDER BY id LIMIT 1") != nil
        let began = try db.value(Int64.self, sql: HotSQL.firstPart)
        guard !hasParts || began != nil else { return nil }
        let first = min(began ?? .max, now.millisecondsSince1970) / 1_000
        // One day is subtracted in case a clock was changed.
        return first.subtractingReportingOverflow(rules.secondsPerDay).partialValue
    }
}
