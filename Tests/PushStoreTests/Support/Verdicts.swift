import GRDB
import PushModel
import PushStore
import TestSupport
import Testing

/// Helpers for tests of verdicts.
extension TemporaryStore {
    static let mark = AccountKey(rawValue: "iosHTTP2 production TEAM:KEY 0123abcd")
    static let rules = QuarantineRules(maxErrors: 3, significantErrorDelaySeconds: 86_400)

    /// Returns an answer that reports a message's token as bad.
    static func bad(
        _ message: MessageID, _ gravity: TokenVerdict.Gravity = .dead, deadSince: WallMoment? = nil,
        reason: String = "Unregistered", account: AccountKey = mark
    ) -> MessageRecord {
        MessageRecord(
            message: message, change: .failed(.hard, .userUnknown, providerReason: reason),
            countsAttempt: true,
            tokenVerdict: TokenVerdict(gravity: gravity, deadSince: deadSince, account: account))
    }

    /// Prepares a delivery to all devices of the app and returns its messages by subscriber number.
    func deliver(to app: App, at now: WallMoment = noon) throws -> (
        id: DeliveryID, messages: [Int: MessageID]
    ) {
        let id = try store.deliverySubmitter.submit(order(apps: [app]), at: now)
        try prepare(id, at: now)
        let pairs = try log(id).map { (Int($0.userKey.dropFirst(5)) ?? 0, $0.message) }
        return (id, Dictionary(pairs, uniquingKeysWith: { $1 }))
    }

    /// Records answers that report tokens as bad, and the given number of acceptances, which do not belong to
    /// any message's row.
    @discardableResult
    func record(
        _ records: [MessageRecord], accepted: Int = 0, of delivery: DeliveryID, at now: WallMoment = noon,
        account: AccountKey = mark
    ) throws -> RecordResult {
        var batch = OutcomeBatch(delivery: delivery)
        batch.others = records
        batch.answers = [AccountAnswers(account: account, accepted: accepted, aboutTokens: records.count)]
        return try store.outcomes.record([batch], at: now)
    }

    /// Judges an account as the master does: in the transaction that records its answers. Here there are no
    /// answers. An account without waiting verdicts is not judged.
    func judge(
        _ account: AccountKey = mark, _ judgement: TrustJudgement, at now: WallMoment = noon,
        in other: Store? = nil
    ) throws {
        var batch = OutcomeBatch(delivery: DeliveryID(rawValue: 1))
        batch.answers = [AccountAnswers(account: account)]
        _ = try (other ?? store).outcomes.record([batch], at: now, judge: { _ in judgement })
    }

    /// Believes an account twice, which clears all of its waiting verdicts.
    func believe(_ account: AccountKey = mark, at now: WallMoment = noon, in other: Store? = nil) throws {
        for _ in 1...2 { try judge(account, .believe, at: now, in: other) }
    }

    /// Declares a storm in an account that has waiting verdicts.
    func storm(_ account: AccountKey = mark, at now: WallMoment = noon) throws {
        try judge(account, .storm, at: now)
        #expect(try store.trust.trust(of: account)?.stormSince != nil)
    }

    /// Applies the verdicts that judgements have cleared.
    @discardableResult
    func settleCleared(
        _ account: AccountKey = mark, rules: QuarantineRules = rules, at now: WallMoment = noon,
        in other: Store? = nil
    ) throws -> VerdictStep {
        try repeated { try (other ?? store).verdicts.settleCleared(account, rules: rules, at: now) }
    }

    /// Believes an account, and decides all of its waiting verdicts.
    @discardableResult
    func settle(
        _ account: AccountKey = mark, rules: QuarantineRules = rules, at now: WallMoment = noon,
        in other: Store? = nil
    ) throws -> VerdictStep {
        try believe(account, at: now, in: other)
        return try settleCleared(account, rules: rules, at: now, in: other)
    }

    func repeated(_ body: () throws -> VerdictStep?) throws -> VerdictStep {
        var total = VerdictStep()
        for _ in 0..<10_000 {
            guard let step = try body() else { return total }
            total += step
            if !total.hasMore { return total }
        }
        Issue.record("it does not end")
        return total
    }

    /// Returns the subscriber numbers in the quarantine of an app, by state.
    func quarantine(of app: App) throws -> [Int: QuarantineState] {
        let entries = try store.quarantine.list(app: app.id).entries
        return Dictionary(
            entries.map { (Int($0.userKey.dropFirst(5)) ?? 0, $0.state) }, uniquingKeysWith: { $1 })
    }

    /// Checks that every count and every state that is stored in two places is the same in both. A
    /// subscription whose person has opted out has that state, whether it is in the quarantine or not.
    func checkVerdicts() throws {
        let differences = try query(
            """
            SELECT 'waiting of ' || mark FROM account_trust t
            WHERE waiting <> (SELECT coalesce(sum(count), 0) FROM held_verdict h WHERE h.account_id = t.id)
            UNION ALL SELECT 'subscription ' || s.id FROM quarantine q JOIN subscription s ON s.id = q.subscription_id
            WHERE s.disabled NOT IN (CASE q.state WHEN 3 THEN 0 ELSE q.state END, 4)
            UNION ALL SELECT 'verdict ' || h.id FROM held_verdict h
            WHERE account_id NOT IN (SELECT id FROM account_trust) OR count NOT BETWEEN 1 AND 1000
                OR last_subscription - first_subscription NOT BETWEEN 0 AND 499
            """)
        #expect(differences == [])
    }
}

/// Returns the first column of a query, as another program would read it from the file.
func query(_ path: String, _ sql: String) throws -> [String] {
    let queue = try StoreFile.open(path)
    return try queue.read { try String.fetchAll($0, sql: sql) }
}
