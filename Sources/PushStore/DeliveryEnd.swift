internal import GRDB
internal import PushModel

/// When a delivery has ended: everything is prepared and nothing waits.
enum DeliveryEnd {
    /// - Returns: whether it ended now.
    static func finishIfDone(_ delivery: DeliveryID, at now: WallMoment, _ db: Database) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE delivery SET state = 'finished', finished_ms = ?
                WHERE id = ? AND prepared = 1 AND pending = 0 AND retrying = 0 AND \(DeliveryRow.isLive)
                """,
            arguments: [now.millisecondsSince1970, delivery.rawValue])
        return db.changesCount > 0
    }
}
