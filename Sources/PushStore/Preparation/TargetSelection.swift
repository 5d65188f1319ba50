internal import PushModel

/// Takes the next subscriptions of a target into message rows: one chunk, within the caller's transaction.
struct TargetSelection {
    private let plan: PreparationPlan
    private let app: AppID
    private let range: SubscriptionRange
    private let now: WallTime
    /// Rows that it may write, or look at.
    private let limit: Int

    /// Rows written.
    private(set) var rows = 0
    /// The last of them, where there are any.
    private(set) var lastMessage: Int64 = 0
    /// Where the next chunk goes on.
    private(set) var next: PreparationPlan.Cursor

    init(_ plan: PreparationPlan, app: AppID, limit: Int, at now: WallTime, _ db: any Session) throws {
        self.limit = limit
        self.plan = plan
        self.app = app
        self.now = now
        range = SubscriptionRange(app)
        next = plan.cursor
    }

    mutating func select(_ db: any Session) throws {
        switch plan.target {
        case .all: try selectAll(db)
        case .parameters: try selectByParameters(db)
        case .userKeys: try selectListed(HotSQL.prepareByUserKey, db) { $0.sqlValue }
        case .tokens: try selectListed(HotSQL.prepareByToken, db) { StoredToken.value(of: $0) }
        }
    }

    private mutating func selectAll(_ db: any Session) throws {
        let taken = try insert(HotSQL.prepareAll, upTo: range.last, db)
        if taken < limit { next.advanceApp() } else { next.subscription = try lastSubscription(db) }
    }

    /// Few may match, so the bound is on what is looked at.
    private mutating func selectByParameters(_ db: any Session) throws {
        let end = try db.value(
            Int64.self, sql: "SELECT id FROM subscription WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT 1 OFFSET ?3",
            arguments: [after, range.last, limit - 1])
        let wanted = plan.parameters
        _ = try insert(HotSQL.prepareByParameters, upTo: end ?? range.last, db) { $0.bind(wanted, at: 7) }
        if let end { next.subscription = end } else { next.advanceApp() }
    }

    /// One page of listed values at most; one value may have more subscriptions than a chunk takes.
    private mutating func selectListed(
        _ sql: String, _ db: any Session, stored: (String) -> SQLValue
    ) throws {
        guard
            let page = try db.value(
                String.self, sql: "SELECT listed FROM delivery_target WHERE delivery_id = ?1 AND page = ?2",
                arguments: [plan.delivery.rawValue, next.page])
        else { return next.advanceApp() }
        let values = try StoredJSON.decode([String].self, from: page)
        while next.value < values.count {
            let room = limit - rows
            guard room > 0 else { return }
            let value = stored(values[next.value])
            let taken = try insert(sql, upTo: range.last, db) { $0.bind(value, at: 7) }
            if taken == room { next.subscription = try lastSubscription(db) } else { next.advanceValue() }
        }
        next.advancePage()
    }

    private var after: Int64 { max(next.subscription, range.beforeFirst) }

    private mutating func insert(
        _ sql: String, upTo last: Int64, _ db: any Session, bindMore: (any Statement) -> Void = { _ in }
    ) throws -> Int {
        let statement = try db.statement(sql)
        statement.bind(plan.delivery.rawValue, at: 1)
        statement.bind(app.rawValue, at: 2)
        statement.bind(now.secondsSince1970, at: 3)
        statement.bind(after, at: 4)
        statement.bind(last, at: 5)
        statement.bind(Int64(limit - rows), at: 6)
        bindMore(statement)
        let taken = try statement.change()
        if taken > 0 {
            rows += taken
            // Nobody else writes meanwhile, and ids never come back.
            lastMessage = try db.value(Int64.self, sql: "SELECT max(id) FROM message") ?? 0
        }
        return taken
    }

    private func lastSubscription(_ db: any Session) throws -> Int64 {
        try db.value(Int64.self, sql: "SELECT subscription_id FROM message WHERE id = ?1", arguments: [lastMessage])
            ?? 0
    }
}
