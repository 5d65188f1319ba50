/// The choice of the next delivery to prepare. Each statement takes a few steps in an index, however many
/// deliveries have not ended.
extension HotSQL {
    /// ?1 now, ?2 priority, ?3 the delivery of this priority that had the last turn. Returns the first
    /// delivery whose start time has come, the next delivery whose preparation may continue, and the delivery
    /// with which the next round begins.
    static let nextToPrepare = """
        SELECT
            (SELECT id FROM delivery WHERE \(DeliveryRow.isScheduled) AND priority = ?2 AND start_at <= ?1
                AND expires_at > ?1 AND \(isSound) ORDER BY start_at LIMIT 1),
            (SELECT id FROM delivery WHERE \(DeliveryRow.isToPrepare) AND priority = ?2 AND id > ?3
                AND expires_at > ?1 AND \(isSound) ORDER BY id LIMIT 1),
            (SELECT id FROM delivery WHERE \(DeliveryRow.isToPrepare) AND priority = ?2
                AND expires_at > ?1 AND \(isSound) ORDER BY id LIMIT 1)
        """

    private static let isSound = "id NOT IN (SELECT delivery_id FROM damaged_delivery)"

    /// ?1 now. Returns whether there is anything to prepare.
    static let hasToPrepare =
        "SELECT coalesce("
        + DeliveryRow.ranks.map { rank in
            """
            (SELECT id FROM delivery WHERE \(DeliveryRow.isToPrepare) AND priority BETWEEN \(rank) AND \(rank)
                AND expires_at > ?1 ORDER BY priority, id LIMIT 1),
            (SELECT id FROM delivery WHERE \(DeliveryRow.isScheduled) AND priority BETWEEN \(rank) AND \(rank)
                AND start_at <= ?1 AND expires_at > ?1 ORDER BY priority, start_at LIMIT 1)
            """
        }.joined(separator: ", ") + ") IS NOT NULL"

    /// ?1 the current time. Returns the earliest future start time.
    static let nextStart =
        "SELECT min(start) FROM ("
        + DeliveryRow.ranks.map { rank in
            """
            SELECT (SELECT start_at FROM delivery WHERE \(DeliveryRow.isScheduled) AND priority = \(rank) \
            AND start_at > ?1
                ORDER BY start_at LIMIT 1) AS start
            """
        }.joined(separator: " UNION ALL ") + ") AS starts"
}
