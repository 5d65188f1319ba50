package import PushModel

/// The result of one call on held-back verdicts.
package struct VerdictStep: Codable, Equatable, Sendable {
    /// The number of subscriptions that this call put into quarantine.
    package var quarantined = 0
    /// The number of recorded errors that do not yet cause quarantine, or that came too soon after the last
    /// one to count.
    package var counted = 0
    /// The number of verdicts that were not applied because the subscription was deleted, has registered
    /// again since the verdict, or is already excluded.
    package var ignored = 0
    /// The number of verdicts that were discarded, either unread or because they could not be read.
    package var discarded = 0
    /// The rows of verdicts that could not be read, one line each.
    package var damaged: [String] = []
    /// Whether another call has work to do.
    package var hasMore = false
    package init() {}

    /// The fields that API clients see.
    private enum CodingKeys: CodingKey { case quarantined, counted, ignored, discarded }

    package var judged: Int { quarantined + counted + ignored + discarded }

    package static func += (left: inout Self, right: Self) {
        left.quarantined += right.quarantined
        left.counted += right.counted
        left.ignored += right.ignored
        left.discarded += right.discarded
        left.damaged += right.damaged
        left.hasMore = right.hasMore
    }
}

/// Applies verdicts about tokens, or discards them. This type does not decide *whether* verdicts are
/// believed: the rule for that is a pure function and belongs to the caller.
///
/// **Promises.** One call is one transaction of at most 5 000 rows. After a crash, the next call continues
/// where the last one ended. A call with nothing to do changes nothing. A device does not change if it
/// registered again after the verdict, or after the time since which its gateway reports the token as dead.
/// Verdicts that have not been settled stay on disk. **See also** ``TrustReader``, and
/// ``OutcomeWriter/record(_:at:settling:judge:)``, which holds verdicts back and writes most judgements.
package struct VerdictWriter: Sendable {
    /// The maximum number of verdicts that one call applies. Each one may touch three rows.
    static let verdictsPerCall = 1_000

    let connection: Connection

    /// Judges an account that will give no further answers. Because no second window follows, all believed
    /// verdicts may be applied.
    /// - Returns: `nil` if no verdict waits, if there is a storm, or if the evidence is not yet complete
    ///   because parts of the account's apps are unfinished or deliveries are being prepared.
    package func judgeWhole(
        _ account: AccountKey, at now: WallMoment, by judge: (AccountTrust) -> TrustJudgement
    ) throws(StoreError) -> AccountJudgement? {
        try connection.write("judge verdicts") { db in
            guard let (id, found) = try Self.find(account, db), found.stormSince == nil, found.waiting > 0,
                try !Self.hasWork(id, at: now, db)
            else { return nil }
            var trust = found
            try trust.findDevices(db)
            let judgement = judge(trust)
            try Self.note(judgement, of: trust, at: now, db)
            if judgement == .believe {
                // No second window follows, so the verdicts of this window are cleared as well.
                try db.execute(
                    sql: "UPDATE account_trust SET cleared_to = judged_to WHERE id = ?1", arguments: [id])
            }
            return AccountJudgement(trust, judgement)
        }
    }

    private static func hasWork(_ account: Int64, at now: WallMoment, _ db: any Session) throws -> Bool {
        let isPreparing = try db.value(
            Bool.self, sql: HotSQL.hasToPrepare, arguments: [now.time.secondsSince1970])
        if isPreparing == true { return true }
        return try db.value(
            Bool.self,
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM part_progress q JOIN delivery d ON d.id = q.delivery_id
                    WHERE q.has_pending = 1 AND d.state IN ('preparing', 'inProgress') AND q.app_id IN (
                        SELECT first_subscription >> 40 FROM held_verdict
                        WHERE account_id = ?1 LIMIT ?2))
                """,
            arguments: [account, Connection.chunkRows]) ?? false
    }

    /// Writes a judgement. If the verdicts are believed, the next window of answers begins, and the verdicts
    /// from before the *previous* judgement are cleared. If the answers get worse in the middle of a window,
    /// this becomes apparent in the next one, before any verdict of the first window is applied. A storm
    /// holds back all verdicts.
    static func note(
        _ judgement: TrustJudgement, of trust: AccountTrust, at now: WallMoment, _ db: any Session
    ) throws {
        let account = trust.mark
        switch judgement {
        case .wait: break
        case .believe:
            var evidence = trust.evidence
            evidence.noteTrusted()
            try db.execute(
                sql: """
                    UPDATE account_trust SET accepted = ?2, about_tokens = ?3, dead_per_million = ?4,
                        cleared_to = CASE WHEN judged_to > cleared_to THEN judged_to ELSE cleared_to END,
                        judged_to = (SELECT coalesce(max(h.id), account_trust.judged_to) FROM held_verdict h
                            WHERE h.account_id = account_trust.id AND h.id > account_trust.judged_to)
                    WHERE mark = ?1 AND storm_ms IS NULL
                    """,
                arguments: [
                    account.rawValue, evidence.accepted, evidence.aboutTokens, evidence.deadPerMillion,
                ])
        case .storm:
            // A storm that is already open keeps its starting time.
            try db.execute(
                sql: """
                    INSERT INTO account_trust (mark, storm_ms, first_seen_ms) VALUES (?1, ?2, ?2)
                    ON CONFLICT (mark) DO UPDATE SET storm_ms = coalesce(account_trust.storm_ms, ?2)
                    """,
                arguments: [account.rawValue, now.millisecondsSince1970])
        }
    }

    /// Clears a page of an account's oldest verdicts that have waited long enough without contrary evidence.
    /// ``settleCleared(_:rules:at:)`` applies cleared verdicts.
    /// - Parameter decided: The latest decision time of verdicts that may be cleared.
    /// - Returns: Whether there were any such verdicts.
    package func clearOverdue(
        _ account: AccountKey, decidedBy decided: WallMoment, where mayBeApplied: (AccountTrust) -> Bool
    ) throws(StoreError) -> Bool {
        try connection.write("clear waiting verdicts") { db in
            guard let (id, trust) = try Self.find(account, db), trust.stormSince == nil, mayBeApplied(trust),
                let last = try db.value(
                    Int64.self,
                    sql: """
                        SELECT max(id) FROM (
                            SELECT id, decided_ms FROM held_verdict WHERE account_id = ?1
                            ORDER BY account_id, id LIMIT ?2) AS oldest
                        WHERE decided_ms <= ?3
                        """,
                    arguments: [id, Self.verdictsPerCall, decided.millisecondsSince1970])
            else { return false }
            try db.execute(
                sql: "UPDATE account_trust SET cleared_to = ?2 WHERE id = ?1 AND cleared_to < ?2",
                arguments: [id, last])
            return true
        }
    }

    /// Applies the oldest cleared verdicts. A verdict is cleared by the second judgement after it, by
    /// ``judgeWhole(_:at:by:)``, or by ``clearOverdue(_:decidedBy:where:)``.
    package func settleCleared(
        _ account: AccountKey, rules: QuarantineRules, at now: WallMoment
    ) throws(StoreError) -> VerdictStep {
        try connection.write("settle verdicts") { db in
            guard let (id, trust) = try Self.find(account, db), trust.stormSince == nil, trust.waiting > 0
            else {
                return VerdictStep()
            }
            let cleared = try db.value(
                Int64.self, sql: "SELECT cleared_to FROM account_trust WHERE id = ?1", arguments: [id])
            let table = VerdictTable(db: db)
            let held = try table.page(of: id, upTo: cleared ?? 0, limit: Self.verdictsPerCall)
            let step = try Self.judge(held, rules: rules, at: now, db)
            guard let last = held.last else {
                try db.execute(
                    sql: """
                        UPDATE account_trust SET waiting = 0
                        WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM held_verdict WHERE account_id = ?1)
                        """,
                    arguments: [id])
                return step
            }
            try table.delete(upTo: last, of: id)
            // `waiting` may be wrong after a damaged row. It reaches 0 only when the last row is deleted,
            // never earlier.
            try db.execute(
                sql: """
                    UPDATE account_trust SET waiting = CASE
                        WHEN NOT EXISTS (SELECT 1 FROM held_verdict WHERE account_id = ?1) THEN 0
                        WHEN waiting > ?2 THEN waiting - ?2 ELSE 1 END
                    WHERE id = ?1
                    """,
                arguments: [id, held.count])
            return step
        }
    }

    /// Applies the verdicts of a storm because an operator believes them. When the last of them has been
    /// applied, the storm ends and the account's counts start again.
    /// - Returns: `nil` if there is nothing to decide.
    package func confirmStorm(
        _ account: AccountKey, rules: QuarantineRules, at now: WallMoment
    ) throws(StoreError) -> VerdictStep? {
        try connection.write("confirm a storm") { db in
            guard let (id, trust) = try Self.find(account, db), trust.needsDecision else { return nil }
            return try apply(id, rules: rules, at: now, db)
        }
    }

    /// Deletes the verdicts of a storm because an operator does not believe them. When the last of them has
    /// been deleted, the storm ends and the account's counts start again.
    /// - Returns: `nil` if there is nothing to decide.
    package func discardStorm(_ account: AccountKey) throws(StoreError) -> VerdictStep? {
        try connection.write("discard a storm") { db in
            guard let (id, trust) = try Self.find(account, db), trust.needsDecision else { return nil }
            var step = VerdictStep()
            let held = try VerdictTable(db: db).page(of: id, limit: Connection.chunkRows)
            step.discarded = held.count
            step.hasMore = held.hasMore
            try conclude(id, held, db)
            return step
        }
    }

    /// Forgets the errors of tokens that have had no error for ten days. One call processes at most 4 980
    /// tokens.
    /// - Returns: The number of tokens whose errors were forgotten.
    @discardableResult
    package func forgetQuietErrors(at now: WallMoment) throws(StoreError) -> Int {
        try connection.write("delete old errors") { db in
            try db.execute(
                sql: HotSQL.forgetQuiet(db.dialect),
                arguments: [now.time.secondsSince1970 - QuarantineRules.quietSeconds, Connection.chunkRows])
        }
    }

    private func apply(
        _ account: Int64, rules: QuarantineRules, at now: WallMoment, _ db: any Session
    ) throws -> VerdictStep {
        let held = try VerdictTable(db: db).page(of: account, limit: Self.verdictsPerCall)
        let step = try Self.judge(held, rules: rules, at: now, db)
        try conclude(account, held, db)
        return step
    }

    /// Applies verdicts. Verdicts that cannot be read disable no subscription.
    private static func judge(
        _ held: VerdictTable.Page, rules: QuarantineRules, at now: WallMoment, _ db: any Session
    ) throws -> VerdictStep {
        var judge = try TokenJudge(rules: rules, at: now.time, db)
        for verdict in try HeldVerdict.all(of: held.rows, db) { try judge.apply(verdict) }
        try QuarantineEvents(judge.quarantined).write(at: now, db)
        var step = judge.step
        step.damaged = held.damaged.map(\.description)
        step.discarded = held.count - held.rows.reduce(0) { $0 + $1.entries.count }
        step.hasMore = held.hasMore
        return step
    }

    /// Deletes the verdicts that have been processed. If none is left, the account's counts start again.
    private func conclude(_ account: Int64, _ held: VerdictTable.Page, _ db: any Session) throws {
        if let last = held.last { try VerdictTable(db: db).delete(upTo: last, of: account) }
        guard !held.hasMore else {
            try db.execute(
                sql: """
                    UPDATE account_trust SET waiting = CASE WHEN waiting > ?1 THEN waiting - ?1 ELSE 1 END
                    WHERE id = ?2
                    """,
                arguments: [held.count, account])
            return
        }
        try db.execute(
            sql: """
                UPDATE account_trust SET waiting = 0, accepted = 0, about_tokens = 0, storm_evidence = 0,
                    run_about_tokens = 0, run_answers = 0, doubt = 0, storm_ms = NULL
                WHERE id = ?1
                """,
            arguments: [account])
    }

    private static func find(_ account: AccountKey, _ db: any Session) throws -> (id: Int64, AccountTrust)? {
        try db.row(sql: HotSQL.trust, arguments: [account.rawValue]).map {
            (try $0["id"], try AccountTrust(row: $0))
        }
    }
}
