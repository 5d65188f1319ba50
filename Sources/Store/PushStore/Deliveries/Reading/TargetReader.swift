package import PushModel
internal import PushSystem

/// Determines whom a target would reach, before a delivery is accepted.
package struct TargetReader: Sendable {
    let connection: Connection
    /// The services whose deliveries exist for the caller.
    var bounds = ServiceBounds.unbound

    /// Reports whether any subscription of the apps matches, including excluded ones. Reads pages of at most
    /// 5 000 rows until it finds the first match.
    /// - Parameters:
    ///   - start: The start of the delivery, to which relative dates refer; `nil` means now.
    ///   - draft: The target's recipient list, if it is not in the store.
    package func matchesAnybody(
        _ target: Target, of apps: [AppID], at start: WallTime? = nil, listing draft: RecipientDraft? = nil
    ) throws(StoreError) -> Bool {
        let start = start ?? Clocks.wall()
        guard StoredTarget(target) != .detailed else {
            return try selectsAnybody(target, of: apps, at: start, listing: draft)
        }
        for app in apps where try matchesAnybody(target, of: app, at: start) { return true }
        return false
    }

    /// Returns the reason why the target cannot be accepted, with the place of the fault in a document; `nil`
    /// if the target can be accepted. If the target refers to another delivery, that delivery must exist,
    /// belong to the same service, and have a record of who opened its messages.
    package func fault(of target: Target, service: ServiceID) throws(StoreError) -> String? {
        guard !target.groups.isEmpty else { return nil }
        return try connection.read("look for a target") { db in
            try SourceDelivery.fault(of: target, service: service, within: bounds, db)
        }
    }

    /// Returns those of the given names that no subscription of the apps has as a parameter. If there are
    /// such names, all of the apps' subscriptions are read, page by page.
    /// - Parameter limit: The maximum number of subscriptions to search in each app, rounded up to whole
    ///   pages.
    package func unknownParameters(
        _ names: [String], of apps: [AppID], amongFirst limit: Int = .max
    ) throws(StoreError) -> [String] {
        var unknown = Set(names.map(ExactText.init))
        for app in apps where !unknown.isEmpty {
            var left = limit
            try forEachPage(of: app) { db, first, last in
                guard left > 0 else { return false }
                left -= Connection.maximumRows
                let found = try db.values(
                    String.self, sql: ParameterSQL.names(db.dialect), arguments: [first, last])
                unknown.subtract(found.map(ExactText.init))
                return !unknown.isEmpty
            }
        }
        return names.filter { unknown.contains(ExactText($0)) }
    }

    /// Reports whether the target selects any subscription. It selects in the same way as preparation does,
    /// one chunk at a time.
    private func selectsAnybody(
        _ target: Target, of apps: [AppID], at start: WallTime, listing draft: RecipientDraft? = nil
    ) throws(StoreError) -> Bool {
        var plan = PreparationPlan(asking: target, of: apps, listing: draft)
        plan.begin = start
        try plan.findGroups(connection)
        while plan.cursor.app < apps.count {
            let asked = plan
            let (isFound, next) = try connection.read("look for a target") { db in
                var selection = TargetSelection(
                    asked, app: apps[asked.cursor.app], limit: Connection.chunkRows)
                try selection.select(db)
                return (!selection.members.isEmpty, selection.next)
            }
            if isFound { return true }
            plan.cursor = next
        }
        return false
    }

    private func matchesAnybody(
        _ target: Target, of app: AppID, at start: WallTime
    ) throws(StoreError) -> Bool {
        switch target.base {
        case .all:
            return try exists(
                "id BETWEEN ?1 AND ?2", [SubscriptionRange(app).first, SubscriptionRange(app).last])
        case .tokens(let tokens):
            return try any(of: tokens) { db, token in
                try Self.exists(
                    "app_id = ?1 AND token = ?2", [app.rawValue, StoredToken.value(of: token)], db)
            }
        case .userKeys(let keys):
            return try any(of: keys) { db, key in
                try Self.exists(
                    """
                    user_key = ?2 AND id IN (SELECT subscription_id FROM user_key WHERE app_id = ?1 AND \
                    user_key = ?2)
                    """, [app.rawValue, key], db)
            }
        case .parameters(let wanted):
            return try matches(wanted, of: app)
        case .list, .matching, .recipients, .openers, .nonOpeners, .combined:
            return try selectsAnybody(target, of: [app], at: start)
        }
    }

    /// Searches in the same way as preparation does (``ParameterSQL``).
    private func matches(_ wanted: [String: String], of app: AppID) throws(StoreError) -> Bool {
        var isFound = false
        try forEachPage(of: app) { db, first, last in
            isFound = try Self.exists(
                "id BETWEEN ?1 AND ?2 AND \(ParameterSQL.match("?3", db.dialect))",
                [first, last, try StoredJSON.encode(wanted)], db)
            return !isFound
        }
        return isFound
    }

    /// - Parameter body: Receives the range of ids of a page. Returns `false` to end the loop.
    private func forEachPage(
        of app: AppID, _ body: (any Session, _ first: Int64, _ last: Int64) throws -> Bool
    ) throws(StoreError) {
        let range = SubscriptionRange(app)
        var cursor = range.beforeFirst
        var mayContinue = true
        while mayContinue {
            mayContinue = try connection.read("look for a target") { db in
                let last = try db.value(
                    Int64.self,
                    sql: """
                        SELECT max(id) FROM (SELECT id FROM subscription WHERE id > ?1 AND id <= ?2 ORDER BY \
                        id LIMIT ?3)
                            AS page
                        """,
                    arguments: [cursor, range.last, Connection.maximumRows])
                guard let last else { return false }
                defer { cursor = last }
                return try body(db, cursor + 1, last)
            }
        }
    }

    private func any(
        of values: [String], _ matches: (any Session, String) throws -> Bool
    ) throws(StoreError) -> Bool {
        for start in stride(from: 0, to: values.count, by: StoredTarget.pageSize) {
            let page = values.dropFirst(start).prefix(StoredTarget.pageSize)
            let isFound = try connection.read("look for a target") { db in
                for value in page where try matches(db, value) { return true }
                return false
            }
            if isFound { return true }
        }
        return false
    }

    private func exists(_ condition: String, _ arguments: [any SQLConvertible]) throws(StoreError) -> Bool {
        try connection.read("look for a target") { db in try Self.exists(condition, arguments, db) }
    }

    private static func exists(_ condition: String, _ arguments: [any SQLConvertible], _ db: any Session)
        throws
        -> Bool
    {
        try db.value(
            Bool.self, sql: "SELECT EXISTS (SELECT 1 FROM subscription WHERE \(condition))",
            arguments: arguments)
            ?? false
    }
}
