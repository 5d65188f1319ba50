package import PushModel

/// A storm of verdicts that waits for an operator.
package struct StormSummary: Equatable, Sendable {
    package var account: AccountKey
    package var since: WallMoment
    /// The number of held-back verdicts.
    package var held: Int
    /// The apps of the subscriptions that the verdicts concern, and the deliveries whose answers contained
    /// the verdicts.
    package var apps: [AppID]
    package var deliveries: [DeliveryID]

    package init(account: AccountKey, since: WallMoment, held: Int, apps: [AppID], deliveries: [DeliveryID]) {
        self.account = account
        self.since = since
        self.held = held
        self.apps = apps
        self.deliveries = deliveries
    }
}

/// Reads the store's knowledge of accounts' answers. See also ``VerdictWriter``.
package struct TrustReader: Sendable {
    let connection: Connection

    /// Returns the trust of an account; `nil` if the account never answered.
    package func trust(of account: AccountKey) throws(StoreError) -> AccountTrust? {
        try connection.read("read an account's answers") { db in
            try db.row(sql: HotSQL.trust, arguments: [account.rawValue]).map { try AccountTrust(row: $0) }
        }
    }

    /// Returns the accounts that have waiting verdicts or a storm.
    package func trusts() throws(StoreError) -> [AccountTrust] {
        try connection.read("read accounts' answers") { db in
            try db.rows(
                sql: """
                    SELECT \(AccountTrust.columns) FROM account_trust WHERE waiting > 0 OR storm_ms IS NOT \
                    NULL
                    ORDER BY mark LIMIT ?1
                    """,
                arguments: [Connection.maximumRows]
            ).map { try AccountTrust(row: $0) }
        }
    }

    /// Returns the accounts that have waiting verdicts and no storm, each with the time of its oldest
    /// verdict.
    package func waiting() throws(StoreError) -> [(trust: AccountTrust, since: WallMoment)] {
        try connection.read("read waiting verdicts") { db in
            try db.rows(
                sql: """
                    SELECT \(AccountTrust.columns), (
                        SELECT decided_ms FROM held_verdict h WHERE h.account_id = account_trust.id
                        ORDER BY h.account_id, h.id LIMIT 1) AS held_since
                    FROM account_trust WHERE waiting > 0 AND storm_ms IS NULL ORDER BY mark LIMIT ?1
                    """,
                arguments: [Connection.maximumRows]
            ).compactMap { row in
                guard let since: Int64 = try row["held_since"] else { return nil }
                return (try AccountTrust(row: row), WallMoment(millisecondsSince1970: since))
            }
        }
    }

    /// Returns the unresolved storms and the apps and deliveries that they concern. Reads page by page.
    package func storms() throws(StoreError) -> [StormSummary] {
        var storms: [StormSummary] = []
        for trust in try trusts() {
            guard let since = trust.stormSince else { continue }
            let extent = try extent(of: trust.mark)
            storms.append(
                StormSummary(
                    account: trust.mark, since: since, held: extent.held, apps: extent.apps.sorted(),
                    deliveries: extent.deliveries.sorted()))
        }
        return storms
    }

    /// Returns the accounts that have verdicts from answers to this delivery's messages, whether those
    /// verdicts are waiting or are held back by a storm. Reads each account's verdicts page by page until it
    /// finds one from this delivery.
    package func trusts(with delivery: DeliveryID) throws(StoreError) -> [AccountTrust] {
        var found: [AccountTrust] = []
        for trust in try trusts() where try holdsVerdicts(trust.mark, of: delivery) { found.append(trust) }
        return found
    }

    private func holdsVerdicts(_ account: AccountKey, of delivery: DeliveryID) throws(StoreError) -> Bool {
        var cursor: Int64 = 0
        while true {
            let page = try connection.read("read held verdicts") { db in
                try db.row(
                    sql: """
                        SELECT max(id) AS last, max(CASE delivery_id WHEN ?1 THEN 1 ELSE 0 END) AS is_found \
                        FROM (
                            SELECT id, delivery_id FROM held_verdict
                            WHERE account_id = (SELECT id FROM account_trust WHERE mark = ?2) AND id > ?3
                            ORDER BY id LIMIT ?4) AS page
                        """,
                    arguments: [delivery.rawValue, account.rawValue, cursor, Connection.maximumRows]
                ).map { (last: try $0["last"] as Int64?, isFound: try $0["is_found"] as Bool? ?? false) }
            }
            guard let page, let last = page.last else { return false }
            if page.isFound { return true }
            cursor = last
        }
    }

    private func extent(
        of account: AccountKey
    ) throws(StoreError) -> (held: Int, apps: Set<AppID>, deliveries: Set<DeliveryID>) {
        var (held, apps, deliveries) = (0, Set<AppID>(), Set<DeliveryID>())
        var cursor: Int64 = 0
        while true {
            let rows = try connection.read("read held verdicts") { db in
                try db.rows(
                    sql: """
                        SELECT id, first_subscription, delivery_id, count FROM held_verdict
                        WHERE account_id = (SELECT id FROM account_trust WHERE mark = ?1) AND id > ?2
                        ORDER BY id LIMIT ?3
                        """,
                    arguments: [account.rawValue, cursor, Connection.maximumRows]
                ).map {
                    (
                        id: try $0["id"] as Int64, subscription: try $0["first_subscription"] as Int64,
                        delivery: try $0["delivery_id"] as Int64, count: try $0["count"] as Int64
                    )
                }
            }
            guard let last = rows.last else { return (held, apps, deliveries) }
            for row in rows {
                apps.insert(SubscriptionRange.app(of: row.subscription))
                deliveries.insert(DeliveryID(rawValue: row.delivery))
                held += VerdictRow.count(row.count)
            }
            cursor = last.id
        }
    }
}
