package import PushModel

/// Looks at the store itself: what its connections promise, how its statements run, whether its counters are true.
/// Changes nothing.
package struct StoreInspection: Sendable {
    let reader: Connection
    let writer: Connection

    /// What the writing connection is set to.
    package struct Durability: Equatable, Sendable {
        /// "wal".
        package var journalMode: String
        /// 2 is FULL.
        package var synchronous: Int
        package init(journalMode: String, synchronous: Int) {
            self.journalMode = journalMode
            self.synchronous = synchronous
        }
    }

    package func durability() throws(StoreError) -> Durability {
        try writer.read("read its settings") { db in
            Durability(
                journalMode: try db.value(String.self, sql: "PRAGMA journal_mode") ?? "",
                synchronous: try db.value(Int.self, sql: "PRAGMA synchronous") ?? 0)
        }
    }

    /// Rows changed by the largest write transaction since the store was opened here.
    package var largestWrite: Int { writer.largestWrite }

    /// SQLite's plans of the hot statements, by name: one text a step.
    package func plans() throws(StoreError) -> [String: [String]] {
        try reader.read("explain its statements") { db in
            try HotSQL.all.mapValues { sql in
                try db.rows(sql: "EXPLAIN QUERY PLAN \(sql)").map { try $0["detail"] }
            }
        }
    }

    /// The counts of a delivery as its message rows have them, page by page. While the delivery is being sent the
    /// pages belong to different moments.
    package func recount(_ delivery: DeliveryID) throws(StoreError) -> DeliveryCounts {
        var counts = DeliveryCounts()
        var cursor: Int64 = 0
        while true {
            let rows = try reader.read("recount a delivery") { db in
                try db.rows(sql: """
                        SELECT m.id, m.state
                        FROM part p CROSS JOIN message m ON m.id BETWEEN max(p.first_id, ?2 + 1) AND p.last_id
                        WHERE p.delivery_id = ?1 AND p.last_id > ?2 ORDER BY p.last_id, m.id LIMIT ?3
                        """,
                    arguments: [delivery.rawValue, cursor, Connection.maximumRows]
                ).map { (id: try $0["id"] as Int64, state: try $0["state"] as Int64) }
            }
            guard let last = rows.last else { return counts }
            for row in rows { counts.add(MessageState(rawValue: row.state)) }
            cursor = last.id
        }
    }
}

extension DeliveryCounts {
    fileprivate mutating func add(_ state: MessageState?) {
        switch state {
        case .pending: pending += 1
        case .retrying: retrying += 1
        case .sent: sent += 1
        case .failed: failed += 1
        case .cancelled: cancelled += 1
        case .excluded: excluded += 1
        case nil: return
        }
        if state != .excluded { targeted += 1 }
    }
}

extension HotSQL {
    static let all = [
        "pending": pending, "retries": retries, "retriesDue": retriesDue, "nextRetry": nextRetry,
        "openParts": openParts, "openPartsOfApp": openPartsOfApp, "findByToken": findByToken, "logPage": logPage,
        "sendPending": sendPending, "sendRetrying": sendRetrying, "sendEnded": sendEnded, "change": change,
        "countOutcomes": countOutcomes, "noteGroup": noteGroup, "finish": finish, "cancelPending": cancelPending,
        "failRetrying": failRetrying, "prepareAll": prepareAll,
        "prepareByParameters": prepareByParameters, "prepareByUserKey": prepareByUserKey,
        "prepareByToken": prepareByToken, "confirm": confirm, "heldAbout": heldAbout, "failLost": failLost,
        "trust": trust, "countAnswers": countAnswers,
        "holdVerdict": holdVerdict, "anyErrors": anyErrors, "lastHeld": lastHeld, "errorsOfSent": errorsOfSent,
        "heldOfSent": heldOfSent, "heldVerdicts": heldVerdicts,
        "quarantineSubscription": quarantineSubscription, "errorsOfToken": errorsOfToken, "noteError": noteError,
        "forgetQuiet": forgetQuiet, "retriesAfter": retriesAfter, "moveRetries": moveRetries,
        "nextToPrepare": nextToPrepare, "hasToPrepare": hasToPrepare, "nextStart": nextStart,
        "retryFailed": retryFailed, "failedMessages": failedMessages,
    ]
}
