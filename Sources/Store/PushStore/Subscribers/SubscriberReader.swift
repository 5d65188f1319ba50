package import PushModel

/// A subscriber with everything that an export contains.
package struct ExportedSubscriber: Equatable, Sendable {
    package var record: SubscriberRecord
    package var facts: CollectedFacts
}

package struct SubscriberPage: Equatable, Sendable {
    package var records: [SubscriberRecord]
    /// The start of the next page; `nil` if this is the last one.
    package var next: SubscriptionID?
}

/// Counts and exports subscribers.
package struct SubscriberReader: Sendable {
    let connection: Connection

    /// Counts in pages, because counting a million rows takes longer than a transaction may last.
    package func count(of app: AppID) throws(StoreError) -> Int {
        let range = SubscriptionRange(app)
        var total = 0
        var cursor = range.beforeFirst
        while true {
            let page = try connection.read("count subscribers") { db in
                try db.row(
                    sql: """
                        SELECT count(*) AS rows, max(id) AS last FROM (
                            SELECT id FROM subscription WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3) AS
                            page
                        """,
                    arguments: [cursor, range.last, Connection.maximumRows]
                ).map { (rows: try $0["rows"] as Int, last: try $0["last"] as Int64?) }
            }
            guard let page, let last = page.last else { return total }
            total += page.rows
            cursor = last
        }
    }

    /// Counts the app's excluded subscribers by state, page by page.
    /// - Returns: `nil` if the app has no opt-outs. ``QuarantineReader/counts(of:)`` then returns the same
    ///   numbers and reads fewer rows.
    package func states(of app: AppID) throws(StoreError) -> SubscriberFigures? {
        let hasOptOuts = try connection.read("count subscribers") { try OptOuts(db: $0, app: app).exist() }
        guard hasOptOuts else { return nil }
        let range = SubscriptionRange(app)
        var figures = SubscriberFigures()
        var cursor = range.beforeFirst
        while true {
            let rows = try connection.read("count subscribers") { db in
                try db.rows(
                    sql: """
                        SELECT disabled, count(*) AS rows, max(id) AS last FROM (
                            SELECT id, disabled FROM subscription WHERE id > ?1 AND id <= ?2
                            ORDER BY id LIMIT ?3) AS page
                        GROUP BY disabled
                        """,
                    arguments: [cursor, range.last, Connection.maximumRows]
                ).map {
                    (
                        state: try $0["disabled"] as Int64, rows: try $0["rows"] as Int,
                        last: try $0["last"] as Int64
                    )
                }
            }
            guard let last = rows.map(\.last).max() else { return figures }
            for row in rows { figures.add(row.rows, in: row.state) }
            cursor = last
        }
    }

    /// Calls `body` with all pages in order of first registration.
    package func forEachPage(
        of app: AppID, _ body: ([SubscriberRecord]) async throws -> Void
    ) async throws {
        var next: SubscriptionID?
        repeat {
            let page = try page(of: app, after: next)
            try await body(page.records)
            next = page.next
        } while next != nil
    }

    /// Calls `body` with all pages of subscribers and their facts, in order of first registration.
    package func forEachPageWithFacts(
        of app: AppID, _ body: ([ExportedSubscriber]) async throws -> Void
    ) async throws {
        var after: Int64? = 0
        while let last = after {
            let page = try page(of: app, after: last)
            try await body(page.subscribers)
            after = page.next
        }
    }

    private func page(
        of app: AppID, after: Int64
    ) throws(StoreError) -> (subscribers: [ExportedSubscriber], next: Int64?) {
        let range = SubscriptionRange(app)
        return try connection.read("export subscribers") { db in
            let rows = try db.rows(
                sql: """
                    SELECT s.*, \(DeviceFacts.selection), a.active_at
                    FROM subscription s\(FactSQL.joins(CollectedFact.allCases, db.dialect))
                    WHERE s.id > ?1 AND s.id <= ?2 ORDER BY s.id LIMIT ?3
                    """,
                arguments: [max(after, range.beforeFirst), range.last, Connection.maximumRows])
            let subscribers = try rows.map { try ExportedSubscriber(row: $0) }
            let isLast = rows.count < Connection.maximumRows
            return (subscribers, isLast ? nil : try rows.last?["id"] as Int64?)
        }
    }

    /// Returns subscribers in order of first registration.
    /// - Parameters:
    ///   - after: ``SubscriberPage/next`` of the previous page.
    ///   - limit: At most 5 000.
    package func page(
        of app: AppID, after: SubscriptionID? = nil, limit: Int = 5_000
    ) throws(StoreError) -> SubscriberPage {
        let range = SubscriptionRange(app)
        let limit = max(1, min(limit, Connection.maximumRows))
        return try connection.read("export subscribers") { db in
            let rows = try db.rows(
                sql: """
                    SELECT id, token, user_key, parameters FROM subscription
                    WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3
                    """,
                arguments: [max(after?.rawValue ?? 0, range.beforeFirst), range.last, limit])
            let records = try rows.map {
                SubscriberRecord(
                    token: StoredToken.text(of: try $0["token"]), userKey: try $0["user_key"],
                    parametersJSON: try $0["parameters"])
            }
            let last =
                rows.count == limit ? try rows.last.map { SubscriptionID(rawValue: try $0["id"]) } : nil
            return SubscriberPage(records: records, next: last)
        }
    }
}

extension ExportedSubscriber {
    fileprivate init(row: Row) throws {
        facts = try CollectedFacts(row: row)
        record = SubscriberRecord(
            token: StoredToken.text(of: try row["token"]), userKey: facts.userKey,
            parametersJSON: try row["parameters"], language: facts.device.language)
    }
}
