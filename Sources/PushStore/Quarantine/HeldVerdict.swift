internal import PushModel

/// A verdict that waits, beside what is known of its subscription now.
struct HeldVerdict {
    var id: Int64
    var subscription: Int64
    var isDead: Bool
    var decided: WallMoment
    var deadSince: WallMoment?
    /// When the subscription last registered; nil: it has gone.
    var registered: WallTime?
    var isExcluded: Bool

    /// The oldest of an account.
    static func page(
        of account: Int64, upTo last: Int64 = .max, limit: Int, _ db: any Session
    ) throws -> [HeldVerdict] {
        let statement = try db.statement(HotSQL.heldVerdicts)
        defer { statement.reset() }
        statement.bind(account, at: 1)
        statement.bind(Int64(limit), at: 2)
        statement.bind(last, at: 3)
        var page: [HeldVerdict] = []
        page.reserveCapacity(limit)
        while try statement.next() {
            page.append(
                HeldVerdict(
                    id: statement.integer(0), subscription: statement.integer(1),
                    isDead: statement.integer(2) == TokenVerdict.Gravity.dead.rawValue,
                    decided: WallMoment(millisecondsSince1970: statement.integer(3)),
                    deadSince: statement.optionalInteger(4).map(WallMoment.init(millisecondsSince1970:)),
                    registered: statement.optionalInteger(5).map(WallTime.init(secondsSince1970:)),
                    isExcluded: statement.integer(6) != 0))
        }
        return page
    }

    /// Whether the subscription is there and has not registered since. Registrations are known to the second: one in
    /// the very second of the verdict came before it, because a later one would have deleted it.
    var holds: Bool {
        guard let registered else { return false }
        return registered <= decided.time && registered <= (deadSince ?? decided).time
    }

    /// Deletes verdicts about subscriptions of a range, at most `limit`. - Returns: how many.
    @discardableResult
    static func delete(about subscriptions: ClosedRange<Int64>, limit: Int64, _ db: any Session) throws -> Int {
        let statement = try db.statement(HotSQL.heldAbout)
        statement.bind(subscriptions.lowerBound, at: 1)
        statement.bind(subscriptions.upperBound, at: 2)
        statement.bind(limit, at: 3)
        var found: [(id: Int64, account: Int64)] = []
        while try statement.next() { found.append((statement.integer(0), statement.integer(1))) }
        for verdict in found { try delete(verdict.id, of: verdict.account, db) }
        return found.count
    }

    static func delete(_ id: Int64, of account: Int64, _ db: any Session) throws {
        guard try db.execute(sql: "DELETE FROM held_verdict WHERE id = ?1", arguments: [id]) == 1 else { return }
        try db.execute(
            sql: "UPDATE account_trust SET waiting = waiting - 1 WHERE id = ?1 AND waiting > 0", arguments: [account])
    }
}
