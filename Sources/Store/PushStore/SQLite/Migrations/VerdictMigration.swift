internal import PushModel
internal import PushQueue

/// Makes rows of many verdicts of those that an earlier version wrote, one a verdict, within the caller's
/// transaction.
///
/// **Promises.** What was judged or cleared before is so afterwards, and nothing else is: the verdicts of one
/// call that recorded outcomes have neighbouring numbers and one moment, judgements fall between calls, and a
/// row's number is at least that of its first verdict and at most that of the call's last. What cannot be a
/// verdict is left out.
struct VerdictMigration {
    let db: any Session

    func run() throws {
        let old = try db.statement(
            """
            SELECT id, account_id, delivery_id, gravity, provider_reason, decided_ms, subscription_id, dead_since_ms
            FROM old_held_verdict ORDER BY id
            """)
        defer { old.reset() }
        var call = VerdictGroups()
        var decided: Int64?
        var lastGiven: Int64 = 0
        while try old.next() {
            if let before = decided, before != old.integer(5) { try write(&call, &lastGiven) }
            decided = old.integer(5)
            if call.isEmpty { lastGiven = old.integer(0) - 1 }
            let head = VerdictHead(
                account: old.integer(1), delivery: DeliveryID(rawValue: old.integer(2)),
                gravity: old.integer(3),
                reason: unsafe String(decoding: old.bytes(4), as: UTF8.self),
                decided: WallMoment(millisecondsSince1970: old.integer(5)))
            guard old.integer(6) >= 0 else { continue }
            call.add(
                VerdictEntry(
                    subscription: old.integer(6),
                    deadSince: old.optionalInteger(7).map(WallMoment.init(millisecondsSince1970:))), to: head)
        }
        try write(&call, &lastGiven)
        old.reset()
        try leave()
    }

    /// The k-th row has the number of the call's k-th verdict: there are not more rows than verdicts.
    private func write(_ call: inout VerdictGroups, _ last: inout Int64) throws {
        for group in call.groups {
            for entries in VerdictRow.cut(group.entries) {
                last += 1
                try VerdictTable(db: db).insert(group.head, entries, id: last)
            }
        }
        call = VerdictGroups()
    }

    private func leave() throws {
        // Numbers go on after the last that there was.
        try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'held_verdict'")
        try db.execute(
            sql: """
                INSERT INTO sqlite_sequence (name, seq)
                SELECT 'held_verdict', seq FROM sqlite_sequence WHERE name = 'old_held_verdict'
                """)
        try db.execute(sql: "DROP TABLE old_held_verdict")
        try db.execute(
            sql: """
                UPDATE account_trust SET waiting = coalesce(
                    (SELECT sum(h.count) FROM held_verdict h WHERE h.account_id = account_trust.id), 0)
                """)
    }
}
