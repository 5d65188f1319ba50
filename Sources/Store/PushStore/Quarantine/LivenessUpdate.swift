internal import PushModel

/// Forgets the errors of a token and its waiting verdicts when a message is accepted, because an acceptance
/// proves that the token is alive. Works within the transaction that records the acceptance.
///
/// If no token has errors and no verdict waits, which is nearly always the case, the cost is two look-ups per
/// transaction.
final class LivenessUpdate {
    private let db: any Session
    private let anyErrors: any Statement
    private let lastHeld: any Statement
    /// Whether any token has errors, and whether verdicts are held back; `nil` until first needed. `init`
    /// requests both answers in advance, so on a database server they need no round trip of their own.
    private var found: (hasErrors: Bool, hasHeld: Bool)?

    /// Must be called before any other query or write in the transaction.
    init(_ db: any Session) throws {
        self.db = db
        anyErrors = try db.statement(HotSQL.anyErrors)
        lastHeld = try db.statement(HotSQL.lastHeld)
        try anyErrors.start()
        try lastHeld.start()
    }

    /// Returns whether any token has errors, and whether verdicts of earlier transactions are waiting.
    private func find() throws -> (hasErrors: Bool, hasHeld: Bool) {
        if let found { return found }
        defer {
            anyErrors.reset()
            lastHeld.reset()
        }
        let new = (try anyErrors.next(), try lastHeld.next() && lastHeld.integer(0) > 0)
        found = new
        return new
    }

    /// Reports whether an acceptance can have anything to undo.
    func isWanted() throws -> Bool {
        let found = try find()
        return found.hasErrors || found.hasHeld
    }

    /// - Parameter subscriptions: The subscriptions whose messages were accepted.
    func note(_ subscriptions: ContiguousArray<SubscriptionID>) throws {
        let sorted = subscriptions.map(\.rawValue).sorted()
        guard let first = sorted.first, let last = sorted.last else { return }
        let (hasErrors, hasHeld) = try find()
        if hasErrors {
            for subscription in try counted(sorted, first...last) {
                try db.execute(
                    sql:
                        "DELETE FROM quarantine WHERE subscription_id = ?1 AND state = \(StateCode.counting)",
                    arguments: [subscription])
            }
        }
        // The verdicts of this transaction are not yet written.
        if hasHeld { try VerdictTable(db: db).remove(about: sorted) }
    }

    /// Returns those of the given subscriptions that have errors. Few subscriptions have errors, so all
    /// entries between the lowest and the highest given subscription are read. If there are more entries than
    /// subscriptions, each subscription is looked up individually.
    private func counted(_ sorted: [Int64], _ range: ClosedRange<Int64>) throws -> [Int64] {
        let statement = try db.statement(HotSQL.errorsOfSent)
        var found: [Int64] = []
        /// - Returns: `false` if there are more than `limit` entries.
        func read(_ range: ClosedRange<Int64>, limit: Int) throws -> Bool {
            defer { statement.reset() }
            statement.bind(range.lowerBound, at: 1)
            statement.bind(range.upperBound, at: 2)
            var count = 0
            while try statement.next() {
                guard count < limit else { return false }
                count += 1
                let subscription = statement.integer(0)
                let place = sorted.place(of: subscription)
                if place < sorted.count, sorted[place] == subscription { found.append(subscription) }
            }
            return true
        }
        if try read(range, limit: sorted.count + Self.fewRows) { return found }
        found = []
        for subscription in sorted { _ = try read(subscription...subscription, limit: .max) }
        return found
    }

    private static let fewRows = 100
}
