internal import GRDB
package import PushModel

package struct SubscriberPage: Equatable, Sendable {
    package var records: [SubscriberRecord]
    /// Where the next page goes on; nil when this was the last.
    package var next: SubscriptionID?
}

/// Counts and exports subscribers.
package struct SubscriberReader: Sendable {
    let connection: Connection

    /// Counts in pages, because a million rows take longer than a transaction may.
    package func count(of app: AppID) throws(StoreError) -> Int {
        let range = SubscriptionRange(app)
        var total = 0
        var cursor = range.beforeFirst
        while true {
            let page = try connection.read("count subscribers") { db in
                try Row.fetchOne(
                    db,
                    sql: """
                        SELECT count(*) AS rows, max(id) AS last FROM (
                            SELECT id FROM subscription WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)
                        """,
                    arguments: [cursor, range.last, Connection.maximumRows]
                ).map { (rows: $0["rows"] as Int, last: $0["last"] as Int64?) }
            }
            guard let page, let last = page.last else { return total }
            total += page.rows
            cursor = last
        }
    }

    /// In order of first registration.
    /// - Parameters:
    ///   - after: ``SubscriberPage/next`` of the page before.
    ///   - limit: at most 5 000.
    package func page(
        of app: AppID, after: SubscriptionID? = nil, limit: Int = 5_000
    ) throws(StoreError) -> SubscriberPage {
        let range = SubscriptionRange(app)
        let limit = max(1, min(limit, Connection.maximumRows))
        return try connection.read("export subscribers") { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, token, user_key, parameters FROM subscription
                    WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
                    """,
                arguments: [max(after?.rawValue ?? 0, range.beforeFirst), range.last, limit])
            let records = rows.map {
                SubscriberRecord(
                    token: StoredToken.text(of: $0["token"]), userKey: $0["user_key"],
                    parametersJSON: $0["parameters"])
            }
            let last = rows.count == limit ? rows.last.map { SubscriptionID(rawValue: $0["id"]) } : nil
            return SubscriberPage(records: records, next: last)
        }
    }
}
