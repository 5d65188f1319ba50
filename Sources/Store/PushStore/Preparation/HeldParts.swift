package import PushModel

/// The release of parts whose time has come: waves, and parts that waited for a time of day.
///
/// **Promises.** A part that is held back costs nothing while it waits, because it is found by its time. Held
/// parts of a paused or stopped delivery are released too, but are not sent: the state of the delivery
/// prevents it.
package struct HeldParts: Sendable {
    let reader: Connection
    let writer: Connection

    /// The maximum number of parts that one transaction releases.
    package static let partsPerStep = 1_000

    /// Reports whether ``release(at:)`` has work to do.
    package func areDue(at now: WallMoment) throws(StoreError) -> Bool {
        try reader.read("look for held parts") { db in
            try db.value(
                Bool.self, sql: HotSQL.hasHeldDue, arguments: [now.time.secondsSince1970]) ?? false
        }
    }

    /// Releases the first due parts.
    /// - Returns: The number of released parts. If it is less than ``partsPerStep``, all due parts were
    ///   released.
    package func release(at now: WallMoment) throws(StoreError) -> Int {
        try writer.write("release held parts") { db in
            try db.execute(
                sql: HotSQL.releaseHeld(db.dialect),
                arguments: [now.time.secondsSince1970, Self.partsPerStep])
        }
    }

    /// Returns the times at which a delivery's held messages are due, and the number of messages for each.
    /// The result contains at most `limit` points in time, the earliest first.
    package func waiting(
        of delivery: DeliveryID, limit: Int = 100
    ) throws(StoreError) -> [(due: WallTime, messages: Int)] {
        try reader.read("look for held parts", of: delivery) { db in
            try db.rows(sql: HotSQL.heldOfDelivery, arguments: [delivery.rawValue, limit]).map {
                (WallTime(secondsSince1970: try $0[0]), try $0[1])
            }
        }
    }
}

extension HotSQL {
    /// ?1 now.
    static let hasHeldDue = """
        SELECT EXISTS (SELECT 1 FROM part_progress WHERE held_until IS NOT NULL AND held_until <= ?1)
        """

    /// ?1 the current time. Returns the earliest future time at which a held part may be sent.
    static let nextHeld = """
        SELECT held_until FROM part_progress WHERE held_until IS NOT NULL AND held_until > ?1
        ORDER BY held_until, part_id LIMIT 1
        """

    /// ?1 now, ?2 limit. Every part that is held back has pending messages, so `has_pending` becomes 1. A
    /// damaged revision does not prevent the release of the other parts.
    static func releaseHeld(_ dialect: SQLDialect) -> String {
        let held = """
            SELECT part_id FROM part_progress WHERE held_until IS NOT NULL AND held_until <= ?1
            ORDER BY held_until, part_id LIMIT ?2
            """
        return """
            UPDATE part_progress SET held_until = NULL, has_pending = 1,
                revision = CASE WHEN revision < \(Int64.max) THEN revision + 1 ELSE revision END
            WHERE part_id \(dialect == .sqlite ? "IN (\(held))" : "= ANY (ARRAY(\(held)))")
            """
    }

    /// ?1 delivery, ?2 limit. In a part that is held back, all waiting messages are pending.
    static let heldOfDelivery = """
        SELECT held_until, CAST(sum(waiting) AS BIGINT) FROM (
            SELECT held_until, waiting FROM part_progress WHERE is_open = 1 AND delivery_id BETWEEN ?1 AND ?1
            ORDER BY delivery_id, part_id LIMIT \(Int32.max)) AS page
        WHERE held_until IS NOT NULL GROUP BY held_until ORDER BY held_until LIMIT ?2
        """
}
