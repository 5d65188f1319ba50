internal import PushModel

/// A row that only a backup has. It distinguishes the backup from the original store.
///
/// When a restored backup that has the mark is opened for use, all deliveries that had not ended at the time
/// of the backup are put on hold, and the mark is removed. Without the hold, messages of these deliveries
/// that were sent after the backup would be sent again, so an operator must decide whether to release these
/// deliveries. The validity of deliveries on hold continues to run.
enum BackupMark {
    static func set(at now: WallMoment, _ db: any Session) throws {
        try db.execute(
            sql:
                #"""
                INSERT INTO backup ("only", taken_ms) VALUES (1, ?1) ON CONFLICT ("only") DO UPDATE SET \#
                taken_ms = ?1
                """#,
            arguments: [now.millisecondsSince1970])
        // A job applies only to the store to which it was submitted, so it fails in the backup.
        try db.execute(
            sql: """
                UPDATE job SET state = ?1, ended_ms = ?2, request = NULL, errors = 'the store was restored \
                from a backup'
                WHERE ended_ms IS NULL
                """, arguments: [JobState.failed.rawValue, now.millisecondsSince1970])
        // A session or a link that ends after the backup must not be valid again in the restored store.
        try db.execute(sql: "UPDATE person SET revision = revision + 1")
        try db.execute(sql: "DELETE FROM person_link")
    }

    private static func taken(_ db: any Session) throws -> WallMoment? {
        try db.value(Int64.self, sql: "SELECT taken_ms FROM backup").map(
            WallMoment.init(millisecondsSince1970:))
    }

    /// Puts on hold, in short steps, all deliveries that have not ended. If the work is interrupted, it
    /// continues when the store is opened again.
    static func holdWhatIsLive(_ engine: any StoreEngine, at now: WallMoment) throws(StoreError) {
        guard try engine.reader.read("open", taken) != nil else { return }
        var last = Int64.min
        while let next = try engine.writer.write(
            "hold restored deliveries", { try step(after: last, at: now, $0) })
        {
            last = next
        }
    }

    /// - Returns: The position where the next step continues; `nil` if all deliveries are on hold.
    private static func step(after last: Int64, at now: WallMoment, _ db: any Session) throws -> Int64? {
        guard let taken = try taken(db) else { return nil }
        let live = try db.values(
            Int64.self,
            sql: "SELECT id FROM delivery WHERE \(DeliveryRow.isLive) AND id > ?1 ORDER BY id LIMIT ?2",
            arguments: [last, deliveriesPerStep])
        let why =
            """
            it was restored from a backup of \(taken.utcText); messages that were sent since then would \
            be sent again
            """
        for delivery in live {
            try db.execute(
                sql: """
                    INSERT INTO damaged_delivery (delivery_id, why, since_ms, expires, restored) VALUES (?1, \
                    ?2, ?3, 1, 1)
                    ON CONFLICT (delivery_id) DO UPDATE SET restored = 1
                    """, arguments: [delivery, why, now.millisecondsSince1970])
        }
        if let end = live.last { return end }
        // Skip numbers that may have been assigned to deliveries since the backup, because devices may still
        // report these numbers.
        if let table = StoreTable.all.first(where: { $0.name == "delivery" }) {
            let numbers = NumberSequence(table: table, db: db)
            try numbers.set(last: min(numbers.last() + skippedNumbers, lastNumber))
        }
        // A webhook's new batch must not have the id of a batch that was sent after the backup, because the
        // receiver would regard the new batch as a repetition.
        for webhook in try Webhook.all(db) { try webhook.takeNewMark(db) }
        try db.execute(sql: "DELETE FROM backup")
        return nil
    }

    private static let deliveriesPerStep = 1_000
    private static let skippedNumbers: Int64 = 10_000
    /// The maximum delivery number after skipping. It leaves room for the numbers of future deliveries.
    private static let lastNumber: Int64 = (1 << 31) - 1_000_000
}
