internal import PushModel

/// Takes a subscription out of quarantine, within the caller's transaction.
struct QuarantineLift {
    private let db: any Session
    private let errors: any Statement
    /// Rows of which one lifting takes verdicts about a subscription at most.
    private static let mostRows = 20

    init(_ db: any Session) throws {
        self.db = db
        errors = try db.statement("DELETE FROM quarantine WHERE subscription_id = ?1")
    }

    /// Whether any subscription of the range has errors or verdicts: most often none, and then nobody needs
    /// to look at each one.
    static func isNeeded(in range: SubscriptionRange, _ db: any Session) throws -> Bool {
        let hasErrors = try db.value(
            Bool.self,
            sql: "SELECT EXISTS (SELECT 1 FROM quarantine WHERE subscription_id BETWEEN ?1 AND ?2)",
            arguments: [range.first, range.last])
        return try hasErrors == true || VerdictTable(db: db).mayHave(about: range.first...range.last)
    }

    /// Forgets errors, and verdicts that wait. The caller sets what the subscription itself says.
    func forget(_ subscription: Int64) throws {
        errors.bind(subscription, at: 1)
        try errors.run()
        try VerdictTable(db: db).remove(about: subscription, mostRows: Self.mostRows)
    }

    /// The same of many, whose verdicts are looked through once.
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
                "SELECT EXISTS (SELECT 1 FROM quarantine WHERE subscription_id = ?1 AND state = \(StateCode.counting))",
            arguments: [subscription])
        let lifted = try db.execute(
            sql:
                "UPDATE subscription SET disabled = \(StateCode.valid) WHERE id = ?1 AND disabled <> \(StateCode.valid)",
            arguments: [subscription])
        if lifted == 1 { step.released += 1 } else if isCounting == true { step.forgiven += 1 }
        try forget(subscription)
    }
}
