/// Statements for retention. Each takes a few index steps, however much the store contains.
extension HotSQL {
    /// ?1 days. Returns the delivery that ended first among those that keep their messages for this number of
    /// days.
    static let nextEnded = """
        SELECT id, finished_ms FROM delivery
        WHERE \(DeliveryRow.keepsMessages) AND retention_days = ?1 AND \(DeliveryRow.hasEnded)
        ORDER BY finished_ms LIMIT 1
        """

    /// ?1 days. Returns the shortest of the deliveries' retention times that exceed this number of days.
    static let nextRetention = """
        SELECT retention_days FROM delivery WHERE \(DeliveryRow.keepsMessages) AND retention_days > ?1
        ORDER BY retention_days LIMIT 1
        """

    /// A delivery with messages that are still to be removed.
    static let nextToRemove = """
        SELECT id FROM delivery WHERE is_removing = 1 AND removed_ms IS NOT NULL AND \(DeliveryRow.hasEnded)
        ORDER BY id LIMIT 1
        """

    /// ?1 delivery, ?2 limit, ?3 the lowest part number. Returns the delivery's first parts from that number
    /// on. A part whose other row names another delivery is not included, because it is not removed with this
    /// delivery.
    static let partsToRemove = """
        SELECT p.id, p.count FROM part p WHERE p.delivery_id BETWEEN ?1 AND ?1 AND p.id >= ?3
            AND coalesce((SELECT q.delivery_id FROM part_progress q WHERE q.part_id = p.id), ?1) = ?1
        ORDER BY p.delivery_id, p.id LIMIT ?2
        """

    /// ?1 part, ?2 limit.
    static let notesToRemove = """
        SELECT message_index FROM part_note WHERE part_id = ?1 ORDER BY message_index LIMIT ?2
        """

    /// ?1 delivery, ?2 limit.
    static let hitsToRemove = "SELECT number FROM hit WHERE delivery_id = ?1 ORDER BY number LIMIT ?2"

    /// The time at which the delivery with the oldest part began.
    static let firstPart = """
        SELECT d.started_ms FROM delivery d WHERE d.id = (
            SELECT delivery_id FROM part WHERE id > \(-Int64.max) ORDER BY id LIMIT 1)
        """

    /// ?1 the exclusive upper bound of the time of exclusion, ?2 limit.
    static let longExcluded = """
        SELECT subscription_id FROM quarantine WHERE \(StateCode.isExcluding) AND since < ?1 ORDER BY since \
        LIMIT ?2
        """

    /// ?1 the exclusive upper bound of the time of removal, ?2 limit.
    static let oldNames =
        "SELECT id FROM removed_subscription WHERE removed_at < ?1 ORDER BY removed_at LIMIT ?2"
}
