internal import GRDB
internal import PushModel

/// Takes a subscription out of quarantine, within the caller's transaction.
struct QuarantineLift {
    private let db: Database
    private let errors: HotStatement
    /// Verdicts about one subscription that one lifting deletes at most.
    private static let mostVerdicts: Int64 = 20

    init(_ db: Database) throws {
        self.db = db
        errors = try HotStatement(db, "DELETE FROM quarantine WHERE subscription_id = ?1")
    }

    /// Whether any subscription of the range has errors or verdicts: most often none, and then nobody needs to look
    /// at each one.
    static func isNeeded(in range: SubscriptionRange, _ db: Database) throws -> Bool {
        let isNeeded = try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM quarantine WHERE subscription_id BETWEEN ?1 AND ?2)
                    OR EXISTS (SELECT 1 FROM held_verdict WHERE subscription_id BETWEEN ?1 AND ?2)
                """,
            arguments: [range.first, range.last])
        return isNeeded == true
    }

    /// Forgets errors, and verdicts that wait. The caller sets what the subscription itself says.
    func forget(_ subscription: Int64) throws {
        errors.bind(subscription, at: 1)
        try errors.run()
        try HeldVerdict.delete(about: subscription...subscription, limit: Self.mostVerdicts, db)
    }

    func release(_ subscription: Int64, into step: inout ReleaseStep) throws {
        let isCounting = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM quarantine WHERE subscription_id = ? AND state = 3)",
            arguments: [subscription])
        try db.execute(
            sql: "UPDATE subscription SET disabled = 0 WHERE id = ? AND disabled <> 0", arguments: [subscription])
        if db.changesCount == 1 { step.released += 1 } else if isCounting == true { step.forgiven += 1 }
        try forget(subscription)
    }
}
