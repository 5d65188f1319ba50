internal import PushModel
internal import PushQueue

/// Reads subscriptions by number, many at a time, lending their bytes instead of copying them.
///
/// A part's members are mostly neighbours. On SQLite a statement that goes from one to the next costs a third of a look-up
/// for each, and one that begins anew at a gap costs no more than a look-up. A server gets all the numbers in one question.
struct SubscriptionWalk {
    private let statement: any Statement
    private let dialect: SQLDialect
    private let last: Int64
    /// The subscription that the statement stands on: the first from ``sought`` on; nil: there is none.
    private var present: Int64?
    private var sought: Int64?

    /// What a message is sent with.
    static let address = "id, token, user_key, parameters"
    /// What says whether a verdict still holds.
    static let registration = "id, updated_at, disabled"

    /// - Parameters:
    ///   - subscriptions: that will be sought. In ascending order that costs least.
    ///   - columns: the first is the number.
    init(
        _ subscriptions: ContiguousArray<SubscriptionID>, _ db: any Session, reading columns: String = address
    ) throws {
        dialect = db.dialect
        statement = try db.statement(HotSQL.subscriptions(dialect, columns))
        last = subscriptions.reduce(0) { max($0, $1.rawValue) }
        if case .postgreSQL = dialect {
            let numbers = "{" + subscriptions.map { String($0.rawValue) }.joined(separator: ",") + "}"
            statement.bind(numbers, at: 2)
        } else {
            statement.bind(last, at: 2)
        }
    }

    /// - Returns: the subscription's row, valid until the next call; nil: it has gone.
    mutating func seek(_ subscription: SubscriptionID) throws -> (any Statement)? {
        let wanted = subscription.rawValue
        if let sought, sought <= wanted {
            if let found = present, found < wanted {
                if dialect == .postgreSQL || wanted - found <= Self.nearby {
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
        try step()
    }

    private mutating func step() throws {
        present = try statement.next() ? statement.integer(0) : nil
    }

    /// As many steps as a look-up costs.
    private static let nearby: Int64 = 8
}

extension HotSQL {
    /// ?1 the first that is wanted, ?2 the last, or a server's list of all, in order.
    static func subscriptions(_ dialect: SQLDialect, _ columns: String = SubscriptionWalk.address) -> String {
        switch dialect {
        case .sqlite:
            "SELECT \(columns) FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        case .postgreSQL:
            """
            SELECT \(columns) FROM subscription
            WHERE id >= ?1 AND id = ANY (CAST(?2 AS BIGINT[])) ORDER BY id
            """
        }
    }
}

/// Lends the subscriptions of some of a part's messages.
///
/// Unsafe because it lends the engine's own memory: columns stay valid until the next step, the spell buffer until
/// this returns, and spans cannot outlive the closure that gets them.
enum SubscriptionLender {
    /// - Parameters:
    ///   - indices: of messages, in ascending order.
    ///   - body: gets the place of each in `indices`, with empty bytes where the subscription has gone.
    static func lend(
        _ indices: ContiguousArray<Int>, of members: PartMembers, _ db: any Session,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        let subscriptions = members.subscriptions(at: indices)
        var walk = try SubscriptionWalk(subscriptions, db)
        defer { walk.end() }
        try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoredToken.longestHex) { spelled in
            for place in subscriptions.indices {
                guard let row = try walk.seek(subscriptions[place]) else {
                    body(place, Span(), Span(), Span())
                    continue
                }
                var token = unsafe row.bytes(1)
                if row.isBlob(1) {
                    let length = unsafe StoredToken.spell(token, into: spelled)
                    unsafe token = UnsafeBufferPointer(rebasing: spelled[..<length])
                }
                let userKey = unsafe row.bytes(2)
                let parameters = unsafe row.bytes(3)
                body(place, unsafe token.span, unsafe userKey.span, unsafe parameters.span)
            }
        }
    }
}
