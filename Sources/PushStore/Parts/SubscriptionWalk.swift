internal import PushModel

/// Reads subscriptions by number, many at a time, lending their bytes instead of copying them.
///
/// A part's members are mostly neighbours: a statement that goes from one to the next costs a third of a look-up for
/// each, and one that begins anew at a gap costs no more than a look-up.
struct SubscriptionWalk {
    private let statement: any Statement
    private let last: Int64
    /// The subscription that the statement stands on: the first from ``sought`` on; nil: there is none.
    private var present: Int64?
    private var sought: Int64?

    /// - Parameter app: whose subscriptions they are.
    init(_ app: AppID, _ db: any Session) throws {
        statement = try db.statement(HotSQL.subscriptions)
        last = SubscriptionRange(app).last
    }

    /// - Returns: the subscription's row (columns: id, token, user key, parameters), valid until the next call; nil:
    ///   it has gone.
    mutating func seek(_ subscription: SubscriptionID) throws -> (any Statement)? {
        let wanted = subscription.rawValue
        if let sought, sought <= wanted {
            if let found = present, found < wanted {
                if wanted - found <= Self.nearby {
                    while let next = present, next < wanted { try step() }
                } else {
                    try begin(at: wanted)
                }
            }
        } else {
            try begin(at: wanted)
        }
        sought = wanted
        return present == wanted ? statement : nil
    }

    func end() { statement.reset() }

    private mutating func begin(at first: Int64) throws {
        statement.reset()
        statement.bind(first, at: 1)
        statement.bind(last, at: 2)
        try step()
    }

    private mutating func step() throws {
        present = try statement.next() ? statement.integer(0) : nil
    }

    /// As many steps as a look-up costs.
    private static let nearby: Int64 = 8
}

extension HotSQL {
    /// ?1…?2 subscriptions, in order.
    static let subscriptions = """
        SELECT id, token, user_key, parameters FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id
        """
}
