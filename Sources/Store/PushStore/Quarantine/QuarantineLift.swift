internal import PushModel

/// Takes a subscription out of quarantine, within the caller's transaction. An opt-out of its user remains.
struct QuarantineLift {
    private let db: any Session
    private let errors: any Statement
    /// The maximum number of rows from which one call removes verdicts about a subscription.
    private static let maxRows = 20

    init(_ db: any Session) throws {
        self.db = db
        errors = try db.statement("DELETE FROM quarantine WHERE subscription_id = ?1")
    }

    /// Reports whether any subscription of the range has errors or verdicts. Usually none has, and the caller
    /// need not check each one.
    static func isNeeded(in range: SubscriptionRange, _ db: any Session) throws -> Bool {
        let hasErrors = try db.value(
            Bool.self,
            sql: "SELECT EXISTS (SELECT 1 FROM quarantine WHERE subscription_id BETWEEN ?1 AND ?2)",
            arguments: [range.first, range.last])
        return try hasErrors == true || VerdictTable(db: db).mayHave(about: range.first...range.last)
    }

    /// Forgets a subscription's errors and waiting verdicts. The caller updates the subscription's own row.
    func forget(_ subscription: Int64) throws {
        errors.bind(subscription, at: 1)
        try errors.run()
        try VerdictTable(db: db).remove(about: subscription, maxRows: Self.maxRows)
    }

    /// Forgets the errors and waiting verdicts of many subscriptions. The rows of verdicts are read only
    /// once.
    func forget(_ subscriptions: [Int64]) throws {
        for subscription in subscriptions {
            errors.bind(subscription, at: 1)
            try errors.run()
        }
        try VerdictTable(db: db).remove(about: subscriptions.sorted())
    }

    func release(_ subscription: Int64, into step: inout ReleaseStep) throws {
        let isCounting = try db.value(
            Bool.self,
            sql:
                """
                SELECT EXISTS (SELECT 1 FROM quarantine WHERE subscription_id = ?1 AND state = \
                \(StateCode.counting))
                """,
            arguments: [subscription])
        let lifted = try db.execute(
            sql:
                """
                UPDATE subscription SET disabled = \(StateCode.valid)
                WHERE id = ?1 AND disabled NOT IN (\(StateCode.valid), \(StateCode.optedOut))
                """,
            arguments: [subscription])
        if lifted == 1 { step.released += 1 } else if isCounting == true { step.forgiven += 1 }
        try forget(subscription)
    }
}
