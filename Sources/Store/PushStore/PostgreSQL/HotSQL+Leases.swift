/// PostgreSQL only: statements that record which parts each host has. ``PostgreSQLLeases`` runs them every
/// second while there are messages to send.
///
/// The table of leases has one row for each part that a host has, and no others. Every statement therefore
/// begins with this table. The values of a part come from a subquery for each lease, because a join might
/// begin with all parts.
extension HotSQL {
    /// ?1 term.
    private static let isLiveTerm =
        "EXISTS (SELECT 1 FROM host h WHERE h.term = ?1 AND h.state IN ('serving', 'sending'))"

    /// ?1 term, ?2 parts as the text of an array. The parts are taken in a fixed order, so that no two hosts
    /// wait for each other.
    static let takeParts = """
        INSERT INTO part_lease (part_id, term)
        SELECT q.part_id, ?1 FROM part_progress q
        WHERE q.part_id = ANY (CAST(?2 AS BIGINT[])) AND q.is_open = 1 AND \(isLiveTerm)
        ORDER BY q.part_id ON CONFLICT (part_id) DO NOTHING
        """

    /// ?1 term, ?2 parts as the text of an array. Returns the parts that this host now has.
    static let partsTaken =
        "SELECT part_id FROM part_lease WHERE part_id = ANY (CAST(?2 AS BIGINT[])) AND term = ?1"

    /// ?1 term, ?2 due by, ?3 limit for each app, ?4 limit, ?5 apps from which no part is taken, ?6 apps from
    /// which one part is taken.
    static let takeDueParts = """
        INSERT INTO part_lease (part_id, term)
        SELECT d.part_id, ?1 FROM (
            SELECT e.part_id FROM app a CROSS JOIN LATERAL (
                SELECT q.part_id FROM part_progress q
                WHERE q.app_id = a.id AND q.next_due IS NOT NULL AND q.next_due <= ?2
                    AND coalesce((SELECT d.state FROM delivery d WHERE d.id = q.delivery_id), '') <> 'paused'
                    AND (SELECT l.term FROM part_lease l WHERE l.part_id = q.part_id) IS NULL
                ORDER BY q.next_due, q.part_id
                LIMIT CASE WHEN a.id = ANY (CAST(?6 AS BIGINT[])) THEN 1 ELSE ?3 END) e
            WHERE a.id <> ALL (CAST(?5 AS BIGINT[])) LIMIT ?4) d
        WHERE \(isLiveTerm)
        ORDER BY d.part_id ON CONFLICT (part_id) DO NOTHING
        """

    /// ?1 term, ?2 apps.
    static let giveBackPartsOfApps = """
        DELETE FROM part_lease l WHERE l.term = ?1 AND (
            SELECT q.app_id FROM part_progress q WHERE q.part_id = l.part_id) = ANY (CAST(?2 AS BIGINT[]))
        """

    /// ?1 term, ?2 a moment. Gives back parts that have neither pending messages nor messages due by that
    /// moment.
    static let giveBackPartsNotDue = """
        DELETE FROM part_lease l WHERE l.term = ?1 AND NOT coalesce((
            SELECT q.is_open = 1 AND (q.has_pending = 1 OR coalesce(q.next_due <= ?2, FALSE))
            FROM part_progress q WHERE q.part_id = l.part_id), FALSE)
        """

    /// ?1 deliveries. Returns the hosts that have parts of these deliveries.
    static let holdersOfDeliveries = holders("delivery_id")
    /// ?1 apps. Returns the hosts that have parts of these apps.
    static let holdersOfApps = holders("app_id")

    private static func holders(_ column: String) -> String {
        """
        SELECT DISTINCT held.number, held.term FROM (
            SELECT (SELECT q.\(column) FROM part_progress q WHERE q.part_id = l.part_id) AS number, l.term
            FROM part_lease l OFFSET 0) AS held
        WHERE held.number = ANY (CAST(?1 AS BIGINT[]))
        """
    }

    /// ?1 deliveries. Returns those of them that have ended or do not exist.
    static let endedAmong = """
        SELECT g.id FROM unnest(CAST(?1 AS BIGINT[])) AS g (id)
        WHERE (SELECT delivery.id FROM delivery WHERE delivery.id = g.id AND \(DeliveryRow.isThisLive)) IS \
        NULL
        """
}
