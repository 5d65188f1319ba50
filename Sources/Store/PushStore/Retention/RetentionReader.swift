package import PushModel

/// Looks for what is kept longer than it is to be. See also ``RetentionWriter``.
package struct RetentionReader: Sendable {
    let connection: Connection

    /// What one look found.
    package struct Look: Equatable, Sendable {
        /// Of which something is to be removed now, in order.
        package var kinds: [RetentionKind] = []
        /// When the messages of the next delivery are; nil: none is known.
        package var nextEnd: WallMoment?
    }

    /// A few steps in indexes, however much there is.
    package func look(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> Look {
        try connection.read("look for what is to be removed") { db in
            var look = Look()
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
            return look
        }
    }
}

/// What is left over of other things than messages, within the caller's transaction.
struct Leftovers {
    let db: any Session
    let rules: RetentionRules
    let now: WallMoment

    /// Subscriptions whose tokens have been in quarantine for too long.
    func subscribers(limit: Int) throws -> [Int64] {
        guard let end = rules.quarantineEnd(at: now) else { return [] }
        return try db.values(Int64.self, sql: HotSQL.longExcluded, arguments: [end, limit])
    }

    /// An account whose oldest verdict is older than messages are kept. Those of a storm wait for an operator.
    func accountWithVerdicts() throws -> Int64? {
        guard let end = rules.messagesEnd(at: now) else { return nil }
        return try db.value(
            Int64.self,
            sql: """
                SELECT id FROM account_trust t WHERE storm_ms IS NULL AND waiting > 0 AND (
                    SELECT decided_ms FROM held_verdict WHERE account_id = t.id ORDER BY id LIMIT 1) < ?1 LIMIT 1
                """, arguments: [end * 1_000])
    }

    /// The account's rows of such verdicts, and how many verdicts each has.
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

    /// Subscribers who were removed before the oldest part was made: no part can name them, because parts are
    /// made in the order of their numbers, and each after its delivery began.
    func names(limit: Int) throws -> [Int64] {
        guard let end = try namesEnd() else { return [] }
        return try db.values(Int64.self, sql: HotSQL.oldNames, arguments: [end, limit])
    }

    /// Before when they were removed; nil: none can go.
    func namesEnd() throws -> Int64? {
        let hasParts = try db.value(Int64.self, sql: "SELECT id FROM part ORDER BY id LIMIT 1") != nil
        let began = try db.value(Int64.self, sql: HotSQL.firstPart)
        guard !hasParts || began != nil else { return nil }
        let first = min(began ?? .max, now.millisecondsSince1970) / 1_000
        // A day for clocks that were set.
        return first.subtractingReportingOverflow(rules.secondsPerDay).partialValue
    }
}
