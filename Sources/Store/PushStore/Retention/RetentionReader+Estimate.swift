package import PushModel

extension RetentionReader {
    /// Counts, page by page, what would be removed now. More user keys may become removable after the
    /// messages have been removed.
    package func estimate(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> RetentionSums {
        var sums = try connection.read("count rows to be removed") { db in
            var sums = RetentionSums()
            let begun = try db.row(
                sql: """
                    SELECT count(*), coalesce(sum(CAST((
                        SELECT sum(p.count) FROM part p WHERE p.delivery_id = d.id) AS BIGINT)), 0)
                    FROM delivery d WHERE is_removing = 1 AND removed_ms IS NOT NULL AND \
                    \(DeliveryRow.hasEnded)
                    """)
            sums.deliveries = try begun?[0] ?? 0
            sums.messages = try begun?[1] ?? 0
            if let end = rules.messagesEnd(at: now) {
                sums.verdicts =
                    try db.value(
                        Int.self,
                        sql: """
                            SELECT CAST(coalesce(sum(h.count), 0) AS BIGINT)
                            FROM held_verdict h JOIN account_trust t ON t.id = h.account_id
                            WHERE t.storm_ms IS NULL AND h.decided_ms < ?1
                            """, arguments: [end * 1_000]) ?? 0
            }
            return sums
        }
        try countMessages(rules, at: now, &sums)
        sums.subscribers = try count(rules.quarantineEnd(at: now), Self.excludedPage)
        let names = try connection.read("count rows to be removed") { db in
            try Leftovers(db: db, rules: rules, now: now).namesEnd()
        }
        sums.names = try count(names, Self.namesPage)
        return sums
    }

    private func countMessages(
        _ rules: RetentionRules, at now: WallMoment, _ sums: inout RetentionSums
    ) throws(StoreError) {
        var after = (days: Int64.min, finished: Int64.min, id: Int64.min)
        while true {
            let start = after
            let rows = try connection.read("count rows to be removed") { db in
                try db.rows(
                    sql: """
                        SELECT retention_days, finished_ms, id, last_ordinal, CAST(\(DeliveryRow.hasEnded) \
                        AS BIGINT)
                        FROM delivery WHERE \(DeliveryRow.keepsMessages) AND (retention_days, finished_ms, \
                        id) > (?1, ?2, ?3)
                        ORDER BY retention_days, finished_ms, id LIMIT ?4
                        """, arguments: [start.days, start.finished, start.id, Connection.maximumRows]
                ).map {
                    (
                        days: try $0[0] as Int64, finished: try $0[1] as Int64, id: try $0[2] as Int64,
                        messages: try $0[3] as Int64, hasEnded: try $0[4] as Int64 == 1
                    )
                }
            }
            for row in rows where row.hasEnded {
                let finished = WallMoment(millisecondsSince1970: row.finished)
                let end = rules.messagesKept(until: finished, days: row.days < 0 ? nil : Int(row.days))
                guard let end, end <= now else { continue }
                sums.deliveries += 1
                sums.messages += Int(clamping: max(row.messages, 0))
            }
            guard rows.count == Connection.maximumRows, let last = rows.last else { return }
            after = (last.days, last.finished, last.id)
        }
    }

    private static let excludedPage = """
        SELECT since, subscription_id FROM quarantine
        WHERE \(StateCode.isExcluding) AND since < ?1 AND (since, subscription_id) > (?2, ?3)
        ORDER BY since, subscription_id LIMIT ?4
        """

    private static let namesPage = """
        SELECT removed_at, id FROM removed_subscription WHERE removed_at < ?1 AND (removed_at, id) > (?2, ?3)
        ORDER BY removed_at, id LIMIT ?4
        """

    /// - Parameter end: `nil` if nothing is to be removed.
    private func count(_ end: Int64?, _ sql: String) throws(StoreError) -> Int {
        guard let end else { return 0 }
        var count = 0
        var after = (Int64.min, Int64.min)
        while true {
            let start = after
            let page = try connection.read("count rows to be removed") { db in
                let rows = try db.rows(sql: sql, arguments: [end, start.0, start.1, Connection.maximumRows])
                return (
                    count: rows.count, last: try rows.last.map { (try $0[0] as Int64, try $0[1] as Int64) }
                )
            }
            count += page.count
            guard page.count == Connection.maximumRows, let last = page.last else { return count }
            after = last
        }
    }
}
