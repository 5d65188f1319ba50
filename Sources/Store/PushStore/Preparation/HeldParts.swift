package import PushModel

/// Lets parts go whose time has come: waves, and what waited for a time of the day.
///
/// **Promises.** What is held costs nothing while it waits: it is found by its time. Held parts of a delivery
/// that is paused or stopped are let go too, and stay where they are: its state keeps them.
package struct HeldParts: Sendable {
    let reader: Connection
    let writer: Connection

    /// Parts that one transaction lets go.
    package static let partsPerStep = 1_000

    /// Whether ``release(at:)`` has something to do.
    package func areDue(at now: WallMoment) throws(StoreError) -> Bool {
        try reader.read("look for held parts") { db in
            try db.value(
                Bool.self, sql: HotSQL.hasHeldDue, arguments: [now.time.secondsSince1970]) ?? false
        }
    }

    /// The first of them go. - Returns: how many that were; fewer than ``partsPerStep``: all that are due.
    package func release(at now: WallMoment) throws(StoreError) -> Int {
        try writer.write("let held parts go") { db in
            try db.execute(
                sql: HotSQL.releaseHeld(db.dialect),
                arguments: [now.time.secondsSince1970, Self.partsPerStep])
        }
    }

    /// Messages of a delivery that are to go later, by when: at most so many moments, the first ones.
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

    /// ?1 now: when the next part may go after it.
    static let nextHeld = """
        SELECT held_until FROM part_progress WHERE held_until IS NOT NULL AND held_until > ?1
        ORDER BY held_until, part_id LIMIT 1
        """

    /// ?1 now, ?2 limit. Whatever is held has something pending. A damaged revision keeps none of the others.
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

    /// ?1 delivery, ?2 limit. What is pending of a part that is held is all that waits of it.
    static let heldOfDelivery = """
        SELECT held_until, CAST(sum(waiting) AS BIGINT) FROM (
            SELECT held_until, waiting FROM part_progress WHERE is_open = 1 AND delivery_id BETWEEN ?1 AND ?1
            ORDER BY delivery_id, part_id LIMIT \(Int32.max)) AS page
        WHERE held_until IS NOT NULL GROUP BY held_until ORDER BY held_until LIMIT ?2
        """
}
