package import PushModel

package struct QuarantinePage: Equatable, Sendable {
    package var entries: [QuarantineEntry]
    /// The start of the next page; `nil` if this is the last one.
    package var next: SubscriptionID?
}

/// Lists and counts subscriptions with errors. See also ``QuarantineWriter``.
package struct QuarantineReader: Sendable {
    let connection: Connection

    /// Lists entries in order of first registration, app by app.
    /// - Parameters:
    ///   - app: `nil` for all apps.
    ///   - state: `nil` for all states.
    ///   - after: ``QuarantinePage/next`` of the previous page.
    ///   - limit: The number of rows to read, at most 5 000. With a `state`, a page may contain fewer
    ///     entries, or none.
    package func list(
        app: AppID? = nil, state: QuarantineState? = nil, after: SubscriptionID? = nil, limit: Int = 1_000
    ) throws(StoreError) -> QuarantinePage {
        let limit = max(1, min(limit, Connection.maximumRows))
        let ids = Self.range(of: app, after: after?.rawValue)
        return try connection.read("list the quarantine") { db in
            let rows = try db.rows(
                sql: """
                    SELECT q.*, s.token, s.user_key
                    FROM quarantine q LEFT JOIN subscription s ON s.id = q.subscription_id
                    WHERE q.subscription_id > ?1 AND q.subscription_id <= ?2 ORDER BY q.subscription_id \
                    LIMIT ?3
                    """,
                arguments: [ids.after, ids.last, limit])
            let last =
                rows.count == limit
                ? try rows.last.map { SubscriptionID(rawValue: try $0["subscription_id"]) } : nil
            let entries = try rows.map { try QuarantineEntry(row: $0) }
            return QuarantinePage(entries: entries.filter { state == nil || $0.state == state }, next: last)
        }
    }

    /// Returns the counts by app. Apps without entries are left out. Counts page by page.
    package func counts(of app: AppID? = nil) throws(StoreError) -> [AppID: QuarantineCounts] {
        var counts: [AppID: QuarantineCounts] = [:]
        var cursor: Int64?
        while true {
            let ids = Self.range(of: app, after: cursor)
            let rows = try connection.read("count the quarantine") { db in
                try db.rows(
                    sql: """
                        SELECT subscription_id, state FROM quarantine
                        WHERE subscription_id > ?1 AND subscription_id <= ?2 ORDER BY subscription_id LIMIT ?3
                        """,
                    arguments: [ids.after, ids.last, Connection.maximumRows]
                ).map {
                    (id: try $0["subscription_id"] as Int64, state: try QuarantineState.known($0["state"]))
                }
            }
            guard let last = rows.last else { return counts }
            for row in rows {
                counts[SubscriptionRange.app(of: row.id), default: QuarantineCounts()].add(row.state)
            }
            cursor = last.id
        }
    }

    private static func range(of app: AppID?, after: Int64?) -> (after: Int64, last: Int64) {
        guard let app else { return (after ?? 0, .max) }
        let range = SubscriptionRange(app)
        return (max(after ?? 0, range.beforeFirst), range.last)
    }
}

extension QuarantineEntry {
    /// Reads a row with the columns of `quarantine`, and with the token and the user key of the subscription.
    init(row: Row) throws {
        guard let source = QuarantineSource(rawValue: try row["source"]) else { throw UnreadableValue() }
        self.init(
            subscription: SubscriptionID(rawValue: try row["subscription_id"]),
            token: StoredToken.text(of: try row["token"]), userKey: try row["user_key"] ?? "",
            state: try QuarantineState.known(row["state"]), errors: try row["errors"],
            lastError: WallTime(secondsSince1970: try row["last_error_at"]),
            since: WallTime(secondsSince1970: try row["since"]), source: source,
            reason: try row["provider_reason"],
            delivery: (try row["delivery_id"] as Int64?).map(DeliveryID.init(rawValue:)))
    }
}

extension QuarantineState {
    static func known(_ raw: Int64) throws -> QuarantineState {
        guard let state = QuarantineState(rawValue: raw) else { throw UnreadableValue() }
        return state
    }
}
