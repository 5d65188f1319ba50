internal import PushModel

/// An accepted message shows that its token lives: errors counted before it are forgotten, and so are verdicts that
/// waited. Within the transaction that records the acceptance.
///
/// Where no token has errors and no verdict waits, which is nearly always, this costs two look-ups a transaction.
struct ProofOfLife {
    private let db: any Session
    private let hasErrors: Bool
    /// The last verdict of earlier transactions; 0: none waits.
    private let lastHeld: Int64

    init(_ db: any Session) throws {
        self.db = db
        func first(_ sql: String) throws -> Int64? {
            let statement = try db.statement(sql)
            defer { statement.reset() }
            return try statement.next() ? statement.integer(0) : nil
        }
        hasErrors = try first(HotSQL.anyErrors) != nil
        lastHeld = try first(HotSQL.lastHeld) ?? 0
    }

    /// After the batch was applied.
    func note(_ batch: OutcomeBatch) throws {
        guard hasErrors || lastHeld > 0 else { return }
        let others = batch.others.compactMap { record in
            if case .sent = record.change { record.message } else { nil as MessageID? }
        }
        for run in OutcomeLedger.runs(of: batch.accepted + others) {
            if hasErrors {
                for row in try rows(HotSQL.errorsOfSent, run.messages, batch.delivery) {
                    try db.execute(
                        sql: "DELETE FROM quarantine WHERE subscription_id = ?1 AND state = \(StateCode.counting)",
                        arguments: [row.0])
                }
            }
            if lastHeld > 0 {
                for row in try rows(HotSQL.heldOfSent, run.messages, batch.delivery) {
                    try HeldVerdict.delete(row.0, of: row.1, db)
                }
            }
        }
    }

    private func rows(
        _ sql: String, _ messages: ClosedRange<MessageID>, _ delivery: DeliveryID
    ) throws -> [(Int64, Int64)] {
        let statement = try db.statement(sql)
        defer { statement.reset() }
        statement.bind(messages.lowerBound.rawValue, at: 1)
        statement.bind(messages.upperBound.rawValue, at: 2)
        statement.bind(delivery.rawValue, at: 3)
        statement.bind(lastHeld, at: 4)
        var rows: [(Int64, Int64)] = []
        while try statement.next() { rows.append((statement.integer(0), statement.integer(1))) }
        return rows
    }
}
