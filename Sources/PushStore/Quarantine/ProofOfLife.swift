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

    /// Whether an acceptance may undo anything.
    var isWanted: Bool { hasErrors || lastHeld > 0 }

    /// - Parameter subscriptions: whose messages were accepted.
    func note(_ subscriptions: ContiguousArray<SubscriptionID>) throws {
        let sorted = subscriptions.map(\.rawValue).sorted()
        guard let first = sorted.first, let last = sorted.last else { return }
        if hasErrors {
            for row in try rows(HotSQL.errorsOfSent, sorted, first...last) {
                try db.execute(
                    sql: "DELETE FROM quarantine WHERE subscription_id = ?1 AND state = \(StateCode.counting)",
                    arguments: [row.0])
            }
        }
        if lastHeld > 0 {
            for row in try rows(HotSQL.heldOfSent, sorted, first...last) { try HeldVerdict.delete(row.0, of: row.1, db) }
        }
    }

    /// What is known against these subscriptions. Few have anything against them, so what is known of their range is
    /// looked through; where that is more than they are, each is looked up.
    private func rows(
        _ sql: String, _ sorted: [Int64], _ range: ClosedRange<Int64>
    ) throws -> [(Int64, Int64)] {
        let statement = try db.statement(sql)
        var rows: [(Int64, Int64)] = []
        /// - Returns: false where there is more than `limit`.
        func read(_ range: ClosedRange<Int64>, limit: Int) throws -> Bool {
            defer { statement.reset() }
            statement.bind(range.lowerBound, at: 1)
            statement.bind(range.upperBound, at: 2)
            statement.bind(lastHeld, at: 3)
            var count = 0
            while try statement.next() {
                guard count < limit else { return false }
                count += 1
                if sorted.contains(sortedValue: statement.integer(2)) {
                    rows.append((statement.integer(0), statement.integer(1)))
                }
            }
            return true
        }
        if try read(range, limit: sorted.count + Self.fewRows) { return rows }
        rows = []
        for subscription in sorted { _ = try read(subscription...subscription, limit: .max) }
        return rows
    }

    private static let fewRows = 100
}

extension [Int64] {
    /// By halving: the array is sorted.
    fileprivate func contains(sortedValue value: Int64) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == value
    }
}
