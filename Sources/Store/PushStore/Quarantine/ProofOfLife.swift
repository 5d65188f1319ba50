internal import PushModel

/// An accepted message shows that its token lives: errors counted before it are forgotten, and so are
/// verdicts that waited. Within the transaction that records the acceptance.
///
/// Where no token has errors and no verdict waits, which is nearly always, this costs two look-ups a
/// transaction.
final class ProofOfLife {
    private let db: any Session
    private let anyErrors: any Statement
    private let lastHeld: any Statement
    /// nil until it is asked for: answers come with others.
    private var found: (hasErrors: Bool, hasHeld: Bool)?

    /// Before anything else is asked or written in the transaction.
    init(_ db: any Session) throws {
        self.db = db
        anyErrors = try db.statement(HotSQL.anyErrors)
        lastHeld = try db.statement(HotSQL.lastHeld)
        try anyErrors.start()
        try lastHeld.start()
    }

    /// Whether a token has errors, and whether verdicts of earlier transactions wait.
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

    /// Whether an acceptance may undo anything.
    func isWanted() throws -> Bool {
        let found = try find()
        return found.hasErrors || found.hasHeld
    }

    /// - Parameter subscriptions: whose messages were accepted.
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
        // Those of this transaction are not written yet.
        if hasHeld { try VerdictTable(db: db).remove(about: sorted) }
    }

    /// Of these subscriptions those with errors. Few have any, so those of their range are looked through;
    /// where that is more than they are, each is looked up.
    private func counted(_ sorted: [Int64], _ range: ClosedRange<Int64>) throws -> [Int64] {
        let statement = try db.statement(HotSQL.errorsOfSent)
        var found: [Int64] = []
        /// - Returns: false where there is more than `limit`.
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
