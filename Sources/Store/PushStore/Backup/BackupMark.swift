internal import PushModel

/// What tells a backup from the store that it was taken of: a row that the copy alone has.
///
/// Whoever opens the copy to use it, after a restore, finds the mark, holds all deliveries that had not ended
/// at the backup, and takes the mark away: what was sent of them since would be sent again, and an operator
/// is to decide. Their validity goes on.
enum BackupMark {
    static func set(at now: WallMoment, _ db: any Session) throws {
        try db.execute(
            sql:
                #"INSERT INTO backup ("only", taken_ms) VALUES (1, ?1) ON CONFLICT ("only") DO UPDATE SET taken_ms = ?1"#,
            arguments: [now.millisecondsSince1970])
        // What a job does is for the store that it was submitted to.
        try db.execute(
            sql: """
                UPDATE job SET state = ?1, ended_ms = ?2, request = NULL, errors = 'the store was restored from a backup'
                WHERE ended_ms IS NULL
                """, arguments: [JobState.failed.rawValue, now.millisecondsSince1970])
    }

    private static func taken(_ db: any Session) throws -> WallMoment? {
        try db.value(Int64.self, sql: "SELECT taken_ms FROM backup").map(
            WallMoment.init(millisecondsSince1970:))
    }

    /// In short steps; what an interruption leaves the next opening goes on with.
    static func holdWhatIsLive(_ engine: any StoreEngine, at now: WallMoment) throws(StoreError) {
        guard try engine.reader.read("open", taken) != nil else { return }
        var last = Int64.min
        while let next = try engine.writer.write(
            "hold restored deliveries", { try step(after: last, at: now, $0) })
        {
            last = next
        }
    }

    /// - Returns: where the next step goes on; nil: all are held.
    private static func step(after last: Int64, at now: WallMoment, _ db: any Session) throws -> Int64? {
        guard let taken = try taken(db) else { return nil }
        let live = try db.values(
            Int64.self,
            sql: "SELECT id FROM delivery WHERE \(DeliveryRow.isLive) AND id > ?1 ORDER BY id LIMIT ?2",
            arguments: [last, deliveriesPerStep])
        let why =
            "it was restored from a backup of \(taken.utcText): what was sent since then would be sent again"
        for delivery in live {
            try db.execute(
                sql: """
                    INSERT INTO damaged_delivery (delivery_id, why, since_ms, expires, restored) VALUES (?1, ?2, ?3, 1, 1)
                    ON CONFLICT (delivery_id) DO UPDATE SET restored = 1
                    """, arguments: [delivery, why, now.millisecondsSince1970])
        }
        if let end = live.last { return end }
        // Numbers that deliveries had which the backup does not know: devices may report by them yet.
        if let table = StoreTable.all.first(where: { $0.name == "delivery" }) {
            let numbers = NumberSequence(table: table, db: db)
            try numbers.set(last: min(numbers.last() + skippedNumbers, lastNumber))
        }
        // Nor may a batch have the id of one that was sent since the backup: its receiver would know it.
        for webhook in try Webhook.all(db) { try webhook.takeNewMark(db) }
        try db.execute(sql: "DELETE FROM backup")
        return nil
    }

    private static let deliveriesPerStep = 1_000
    private static let skippedNumbers: Int64 = 10_000
    /// Room for those to come.
    private static let lastNumber: Int64 = (1 << 31) - 1_000_000
}
