internal import PushModel
internal import PushQueue

/// Ends deliveries. A delivery is complete when all of its messages are prepared, none of them waits, and the
/// result of each is known.
enum DeliveryEnd {
    /// Ends the delivery if it is complete. If nothing waits but some messages are not accounted for, puts
    /// the delivery on hold as damaged, so that it does not end with messages that are never sent.
    /// - Returns: Whether this call ended the delivery.
    static func finishIfDone(_ delivery: DeliveryID, at now: WallMoment, _ db: any Session) throws -> Bool {
        if try finish(delivery, at: now, db) { return true }
        guard let lost = try lost(of: delivery, db), lost != 0 else { return false }
        let some = lost > 0 && lost < 1e12 ? "\(Int64(lost)) of its messages" : "its counts and its messages"
        try hold(
            delivery, because: "\(some) cannot be accounted for, although none of its messages wait", at: now,
            db)
        return false
    }

    /// Ends a delivery whose validity is over and that has no readable waiting messages. Messages that are
    /// not accounted for are counted as cancelled.
    /// - Returns: The number of messages that were counted as cancelled.
    static func finishExpired(_ delivery: DeliveryID, at now: WallMoment, _ db: any Session) throws -> Int {
        if try finish(delivery, at: now, db) { return 0 }
        let prepared = try db.value(
            Int64.self, sql: "SELECT last_ordinal FROM delivery WHERE id = ?1", arguments: [delivery.rawValue]
        )
        let table = TallyTable(db: db)
        let lost = try table.counts(of: [delivery: prepared ?? 0])[delivery]?.counts.pending ?? 0
        let isPossible = (1...Int(Int32.max)).contains(lost)
        if isPossible {
            let app = try db.value(
                Int64.self, sql: "SELECT min(app_id) FROM delivery_app WHERE delivery_id = ?1",
                arguments: [delivery.rawValue])
            var tally = Tally()
            let minute = Int(now.time.secondsSince1970 / 60)
            tally.add(lost, to: TallyKey(.cancelled, cause: .unreadable, minute: minute))
            var tallies = TallyByApp()
            tallies.add(tally, of: AppID(rawValue: app ?? 0))
            try table.add(tallies, of: delivery)
        }
        try db.execute(
            sql: """
                UPDATE delivery SET prepared = 1, state = \(DeliveryRow.end), finished_ms = ?2
                WHERE id = ?1 AND \(DeliveryRow.isLive)
                """,
            arguments: [delivery.rawValue, now.millisecondsSince1970])
        return isPossible ? lost : 0
    }

    static func finish(_ delivery: DeliveryID, at now: WallMoment, _ db: any Session) throws -> Bool {
        let finish = try db.statement(HotSQL.finish)
        finish.bind(delivery.rawValue, at: 1)
        finish.bind(now.millisecondsSince1970, at: 2)
        return try finish.change() > 0
    }

    /// Returns the number of messages that are not accounted for; `nil` while something waits.
    private static func lost(of delivery: DeliveryID, _ db: any Session) throws -> Double? {
        let lost = try db.statement(HotSQL.lost)
        defer { lost.reset() }
        lost.bind(delivery.rawValue, at: 1)
        guard try lost.next() else { return nil }
        return Double(lost.value(0))
    }

    /// Puts a delivery on hold. If the delivery is already on hold, the earlier reason is kept.
    /// - Returns: Whether the delivery was not on hold before.
    @discardableResult
    static func hold(
        _ delivery: DeliveryID, because why: String, expires: Bool = true, at now: WallMoment,
        _ db: any Session
    ) throws -> Bool {
        try db.execute(
            sql: """
                INSERT INTO damaged_delivery (delivery_id, why, since_ms, expires) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (delivery_id) DO NOTHING
                """,
            arguments: [delivery.rawValue, why, now.millisecondsSince1970, expires]) == 1
    }
}
