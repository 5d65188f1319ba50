internal import PushModel

/// Queries for parts. A part consists of two rows: one with constant values and one with changing values.
///
/// A planner that assumes tiny tables considers every index equally good. On PostgreSQL, where sessions
/// disable sorting, a query therefore leaves the planner no choice: a lookup is a range of one value
/// (`BETWEEN ?1 AND ?1`), ordered by the columns of the intended index. With `=`, the planner would regard
/// every index as providing this order.
extension HotSQL {
    /// The columns in the order in which ``StoredPart`` reads them.
    static let partColumns = """
        p.id, p.delivery_id, p.app_id, p.first_number, p.count, \(progressColumns), q.delivery_id, p.content
        """
    private static let progressColumns = """
        q.states, q.waiting, q.next_due, q.is_open, q.has_pending, q.deadline, q.generation, q.revision, \
        q.held_until
        """
    private static let constantColumns = "id, delivery_id, app_id, first_number, count, content"

    // MARK: Reading

    /// ?1 message. Returns the part with the greatest number that is not above the message's number. The
    /// part's columns are followed by the term of the host that has the part, or by NULL if no host has it or
    /// there are no hosts.
    static func partOfMessage(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: partOfMessageOnSQLite
        case .postgreSQL: partOfMessageOnPostgreSQL
        }
    }

    private static let partOfMessageOnSQLite = partOfMessage(holder: "NULL")
    private static let partOfMessageOnPostgreSQL = partOfMessage(
        holder: "(SELECT l.term FROM part_lease l WHERE l.part_id = q.part_id)")

    private static func partOfMessage(holder: String) -> String {
        """
        SELECT \(partColumns), \(holder)
        FROM (SELECT \(constantColumns) FROM part WHERE id <= ?1 ORDER BY id DESC LIMIT 1) AS p
            JOIN part_progress q ON q.part_id = (SELECT id FROM part WHERE id <= ?1 ORDER BY id DESC LIMIT 1)
        """
    }

    /// ?1 message, ?2 delivery.
    static func partOfMessageInDelivery(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: "SELECT max(id) FROM part WHERE delivery_id = ?2 AND id <= ?1"
        case .postgreSQL:
            """
            SELECT id FROM part WHERE (delivery_id, id) <= (?2, ?1) AND delivery_id >= ?2
            ORDER BY delivery_id DESC, id DESC LIMIT 1
            """
        }
    }

    /// ?1 part.
    static let part = """
        SELECT \(partColumns)
        FROM (SELECT \(constantColumns) FROM part WHERE id BETWEEN ?1 AND ?1 ORDER BY id LIMIT 1) AS p
            JOIN part_progress q ON q.part_id = ?1
        """

    /// ?1 delivery, ?2 the part after which to continue, ?3 limit.
    static func partsOfDelivery(_ dialect: SQLDialect) -> String {
        "SELECT \(partColumns) FROM part p \(progressOfPart(dialect)) WHERE \(partsAfter(dialect)) LIMIT ?3"
    }

    /// Returns parts, the last ones first. ?1 the part that follows these parts, ?2 the first of them, ?3
    /// limit, ?4…?5 apps, ?6 the least number of a content: 0 for all parts, 1 for those with messages that
    /// were submitted one by one.
    static func recentParts(_ dialect: SQLDialect) -> String {
        "SELECT \(partColumns) FROM part p \(progressOfPart(dialect)) \(recent)"
    }

    /// The parameters are those of ``recentParts(_:)``. Returns the recipients of each part.
    static let recentMembers = "SELECT p.id, p.app_id, p.count, p.members FROM part p \(recent)"

    private static let recent = """
        WHERE p.id < ?1 AND p.id >= ?2 AND p.app_id BETWEEN ?4 AND ?5 AND p.content >= ?6
        ORDER BY p.id DESC LIMIT ?3
        """

    private static func progressOfPart(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: "JOIN part_progress q ON q.part_id = p.id"
        case .postgreSQL: "CROSS JOIN LATERAL (SELECT * FROM part_progress WHERE part_id = p.id LIMIT 1) q"
        }
    }

    /// The parts of the delivery ?1 that follow the part ?2, in order. SQLite uses the second column of the
    /// index only in combination with an equality; PostgreSQL uses it in a row comparison.
    static func partsAfter(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: "p.delivery_id = ?1 AND p.id > ?2 ORDER BY p.id"
        case .postgreSQL:
            "(p.delivery_id, p.id) > (?1, ?2) AND p.delivery_id <= ?1 ORDER BY p.delivery_id, p.id"
        }
    }

    /// ?1 part. Returns its changing values and its delivery.
    static let progress = "SELECT \(progressColumns), q.delivery_id FROM part_progress q WHERE q.part_id = ?1"

    /// ?1 part.
    static let members = "SELECT members FROM part WHERE id BETWEEN ?1 AND ?1 ORDER BY id LIMIT 1"

    /// ?1 part.
    static let notes = """
        SELECT message_index, attempts, due_at, provider_id FROM part_note WHERE part_id = ?1 ORDER BY \
        message_index
        """

    private static let isSound = "q.delivery_id NOT IN (SELECT delivery_id FROM damaged_delivery)"

    /// A part with pending messages, in the form that ``WorkReader`` examines: the values of its two rows,
    /// and the previous part of the same delivery. If one row is missing or names a delivery that does not
    /// exist, the other row identifies the delivery. Deliveries are looked up separately for each part,
    /// because a join might begin with all deliveries that have not ended.
    private static let openPart = """
        SELECT q.part_id, q.delivery_id, p.delivery_id, p.app_id, p.first_number, p.count, b.id, \
        b.first_number, b.count,
            (SELECT d.id FROM delivery d WHERE d.id = q.delivery_id),
            (SELECT c.priority FROM delivery c WHERE c.id = p.delivery_id), p.content
        FROM part_progress q
        """

    private static func partAndPartBefore(_ dialect: SQLDialect) -> String {
        let isOfBoth = "(SELECT r.delivery_id FROM part_progress r WHERE r.part_id = o.id) = o.delivery_id"
        return switch dialect {
        case .sqlite:
            """
            LEFT JOIN part p ON p.id = q.part_id
            LEFT JOIN part b ON b.id = (
                SELECT o.id FROM part o WHERE o.delivery_id = p.delivery_id AND o.id < p.id AND \(isOfBoth)
                ORDER BY o.id DESC LIMIT 1)
            """
        case .postgreSQL:
            """
            LEFT JOIN LATERAL (
                SELECT \(constantColumns) FROM part WHERE id BETWEEN q.part_id AND q.part_id ORDER BY id
                LIMIT 1
            ) p ON TRUE
            LEFT JOIN LATERAL (
                SELECT o.id, o.first_number, o.count FROM part o
                WHERE (o.delivery_id, o.id) < (p.delivery_id, p.id) AND o.delivery_id >= p.delivery_id AND
                \(isOfBoth)
                ORDER BY o.delivery_id DESC, o.id DESC LIMIT 1
            ) b ON TRUE
            """
        }
    }
    private static let isInProgress = """
        coalesce((SELECT d.state FROM delivery d WHERE d.id = q.delivery_id),
            (SELECT e.state FROM delivery e WHERE e.id = p.delivery_id)) IN ('preparing', 'inProgress')
        AND \(isSound) AND coalesce(p.delivery_id, q.delivery_id) NOT IN (SELECT delivery_id FROM \
        damaged_delivery)
        """

    /// ?1 the part after which to continue, ?2 limit. Returns the parts that have pending messages and belong
    /// to deliveries in progress.
    static func openParts(_ dialect: SQLDialect) -> String { openParts(dialect, "") }
    /// The parameters are those of ``openParts(_:)``, and ?3 term. Returns the same parts as that query,
    /// except those that other hosts have.
    static func ownOpenParts(_ dialect: SQLDialect) -> String {
        openParts(dialect, "AND \(isOfNoOther(than: 3))")
    }

    private static func openParts(_ dialect: SQLDialect, _ condition: String) -> String {
        """
        \(openPart) \(partAndPartBefore(dialect))
        WHERE q.has_pending = 1 AND q.part_id > ?1 AND \(isInProgress) \(condition) ORDER BY q.part_id LIMIT \
        ?2
        """
    }

    /// The term of the host that has the part. It is looked up separately for each part, because a join might
    /// begin with all leases.
    private static let owner = "(SELECT l.term FROM part_lease l WHERE l.part_id = q.part_id)"

    private static func isOfNoOther(than number: Int) -> String {
        "coalesce(\(owner), ?\(number)) = ?\(number)"
    }

    private static func isOwn(_ number: Int) -> String { "\(owner) = ?\(number)" }

    /// ?1…?2 parts, ?3 app, ?4 limit.
    static func openPartsOfApp(_ dialect: SQLDialect) -> String { openPartsOfApp(dialect, "") }
    /// The parameters are those of ``openPartsOfApp(_:)``, and ?5 term. Returns the same parts as that query,
    /// except those that other hosts have.
    static func ownOpenPartsOfApp(_ dialect: SQLDialect) -> String {
        openPartsOfApp(dialect, "AND \(isOfNoOther(than: 5))")
    }

    private static func openPartsOfApp(_ dialect: SQLDialect, _ condition: String) -> String {
        """
        \(openPart) \(partAndPartBefore(dialect))
        WHERE q.has_pending = 1 AND q.part_id BETWEEN ?1 AND ?2 AND q.app_id = ?3 AND \(isInProgress) \
        \(condition)
        ORDER BY q.part_id LIMIT ?4
        """
    }

    /// ?1 app, ?2 due by, (?3, ?4) the due time and part from which to continue, ?5 limit. Returns parts with
    /// due messages, except parts of deliveries that are on hold or paused.
    static let dueParts = dueParts()
    /// ?6 term. Returns only the parts of this host.
    static let ownDueParts = dueParts("AND \(isOwn(6))")

    private static func dueParts(_ condition: String = "") -> String {
        """
        SELECT q.next_due, q.part_id FROM part_progress q
        WHERE q.next_due IS NOT NULL AND q.app_id = ?1 AND q.next_due <= ?2 AND (q.next_due, q.part_id) >= \
        (?3, ?4)
            AND \(isSound) AND coalesce((SELECT d.state FROM delivery d WHERE d.id = q.delivery_id), '') <>
            'paused'
            \(condition)
        ORDER BY q.next_due, q.part_id LIMIT ?5
        """
    }

    /// ?1 due by. Returns apps with parts that may be due.
    static let appsWithDueParts = """
        SELECT app.id FROM app WHERE (
            SELECT q.part_id FROM part_progress q
            WHERE q.next_due IS NOT NULL AND q.app_id = app.id AND q.next_due <= ?1 ORDER BY q.next_due
            LIMIT 1) IS NOT NULL
        """
    /// ?1 due by, ?2 term. Returns apps with parts of this host that may be due. Each app is searched only up
    /// to its first such part; a join would begin with all due parts.
    static let appsWithOwnDueParts = """
        SELECT app.id FROM app WHERE (
            SELECT q.part_id FROM part_progress q
            WHERE q.next_due IS NOT NULL AND q.app_id = app.id AND q.next_due <= ?1 AND \(isOwn(2))
            ORDER BY q.next_due LIMIT 1) IS NOT NULL
        """

    /// ?1 the current time. Returns the earliest future time at which a part of any app is due.
    static let nextRetry = """
        SELECT min((SELECT q.next_due FROM part_progress q
            WHERE q.next_due IS NOT NULL AND q.app_id = app.id AND q.next_due > ?1 ORDER BY q.next_due LIMIT
            1))
        FROM app
        """

    /// ?1 delivery. Returns one of the delivery's parts that has waiting messages.
    static let openPartOfDelivery = """
        SELECT q.part_id FROM part_progress q WHERE \(isOpen(of: "?1")) AND \(isOfOneDelivery) \(first)
        """
    private static let first = "ORDER BY q.delivery_id, q.part_id LIMIT 1"

    private static func isOpen(of delivery: String) -> String {
        "q.is_open = 1 AND q.delivery_id BETWEEN \(delivery) AND \(delivery)"
    }

    /// ?1 delivery, ?2 term. Returns one of the delivery's parts that has waiting messages and that no other
    /// host has.
    static let ownOpenPartOfDelivery = """
        SELECT q.part_id FROM part_progress q
        WHERE \(isOpen(of: "?1")) AND \(isOfOneDelivery) AND \(isOfNoOther(than: 2)) \(first)
        """

    /// Both rows of a part must name the same delivery. Otherwise the part does not prevent any delivery from
    /// ending.
    private static let isOfOneDelivery = """
        (SELECT p.delivery_id FROM part p WHERE p.id BETWEEN q.part_id AND q.part_id ORDER BY p.id LIMIT 1)
            = q.delivery_id
        """

    /// ?1 now. Returns a part whose validity is over but that has waiting messages; its delivery; and the end
    /// of the delivery's validity, or NULL if each of the delivery's parts has its own end.
    static let expiredPart = """
        SELECT q.part_id, q.delivery_id,
            (SELECT d.expires_at FROM delivery d WHERE d.id = q.delivery_id AND d.open_until IS NULL) AS
            expires_at
        FROM part_progress q
        WHERE q.is_open = 1 AND q.deadline <= ?1 AND \(isOfOneDelivery) AND NOT EXISTS (
            SELECT 1 FROM damaged_delivery h WHERE h.delivery_id = q.delivery_id AND h.expires = 0)
        ORDER BY q.deadline LIMIT 1
        """

    /// ?1 the current time. Returns the earliest future time at which the validity of a part ends.
    static let nextDeadline = """
        SELECT deadline FROM part_progress WHERE is_open = 1 AND deadline > ?1 ORDER BY deadline LIMIT 1
        """

    /// (?1, ?2) delivery and part after which to continue, ?3 limit. Returns parts with retrying messages.
    static let retryingParts = retryingParts()
    /// ?4 term. Returns only the parts of this host.
    static let ownRetryingParts = retryingParts("AND \(isOwn(4))")
    /// The parameters are those of ``retryingParts``, and ?4 term. Returns the same parts as that query,
    /// except those that other hosts have.
    static let freeRetryingParts = retryingParts("AND \(isOfNoOther(than: 4))")

    private static func retryingParts(_ condition: String = "") -> String {
        """
        SELECT q.delivery_id, q.part_id FROM part_progress q
        WHERE q.is_open = 1 AND (q.delivery_id, q.part_id) > (?1, ?2) AND q.next_due IS NOT NULL \(condition)
        ORDER BY q.delivery_id, q.part_id LIMIT ?3
        """
    }

    /// ?1 part, ?2 the delivery that it claims, ?3 and ?4 the first and last number that it claims in the
    /// delivery. Returns whether the claim is impossible because the delivery has no such numbers or another
    /// part has them.
    static let impossibleClaim = """
        SELECT NOT EXISTS (SELECT 1 FROM delivery WHERE id = ?2 AND last_ordinal >= ?4) OR EXISTS (
            SELECT 1 FROM part WHERE delivery_id = ?2 AND id <> ?1 AND first_number <= ?4 AND first_number +
            count > ?3)
        """

    // MARK: Writing

    /// ?1 part, ?2 the revision that was read, ?3 states, ?4 waiting, ?5 the next revision.
    static let writeStates = """
        UPDATE part_progress SET states = ?3, waiting = ?4, revision = ?5 WHERE part_id = ?1 AND revision = ?2
        """

    /// The first parameters are those of `writeStates`, followed by ?6 next due, ?7 whether any message
    /// waits, ?8 whether any message is pending and not held back, ?9 deadline, ?10 generation, ?11 the time
    /// until which messages are held back.
    static let writePart = """
        UPDATE part_progress SET states = ?3, waiting = ?4, revision = ?5, next_due = ?6, is_open = ?7,
            has_pending = ?8, deadline = ?9, generation = ?10, held_until = ?11
        WHERE part_id = ?1 AND revision = ?2
        """

    /// ?1 part, ?2 index, ?3 attempts, ?4 due, ?5 the gateway's id.
    static let writeNote = """
        INSERT INTO part_note (part_id, message_index, attempts, due_at, provider_id) VALUES (?1, ?2, ?3, \
        ?4, ?5)
        ON CONFLICT (part_id, message_index) DO UPDATE SET attempts = ?3, due_at = ?4, provider_id = ?5
        """

    /// ?1 delivery, ?2 app, ?3 state, ?4 cause, ?5 minute, ?6 the number to add.
    static let addToTally = """
        INSERT INTO tally (delivery_id, app_id, state, cause, minute, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (delivery_id, app_id, state, cause, minute) DO UPDATE SET count = tally.count + ?6
        """

    /// ?1 delivery, ?2 now in milliseconds. Ends the delivery if no message waits and the state of every
    /// message is known.
    static let finish = """
        UPDATE delivery SET state = \(DeliveryRow.end), finished_ms = ?2
        WHERE \(hasEnded) AND last_ordinal = \(ended)
        """

    /// ?1 delivery. If none of the delivery's messages waits, returns the number of its messages whose state
    /// is unknown. Otherwise returns no row.
    static let lost = "SELECT last_ordinal - \(ended) FROM delivery WHERE \(hasEnded)"

    private static let hasEnded = """
        id = ?1 AND prepared = 1 AND \(DeliveryRow.isThisLive) AND (
            SELECT q.part_id FROM part_progress q WHERE \(isOpen(of: "?1")) AND \(isOfOneDelivery) \(first))
            IS NULL
        """
    /// The number of messages in final states. Calculated as a floating-point number, so that a sum of
    /// damaged rows cannot cause an overflow error.
    private static let ended = """
        (SELECT coalesce(sum(CAST(count AS DOUBLE PRECISION)), 0) FROM tally WHERE delivery_id = ?1 AND \
        state IN (\(final)))
        """
    private static let final = MessageState.allCases.filter(\.isFinal).map { "\($0.rawValue)" }.joined(
        separator: ", ")

    /// (?1, ?2) end of validity and delivery after which to continue, ?3 limit. Returns deliveries that have
    /// no waiting messages but have not ended.
    static let stranded = """
        SELECT d.expires_at, d.id FROM delivery d WHERE (d.expires_at, d.id) > (?1, ?2) AND d.prepared = 1 \
        AND \(DeliveryRow.isLive)
            AND d.id NOT IN (SELECT delivery_id FROM damaged_delivery) AND (
                SELECT q.part_id FROM part_progress q WHERE \(isOpen(of: "d.id")) AND \(isOfOneDelivery)
                \(first)) IS NULL
        ORDER BY d.expires_at, d.id LIMIT ?3
        """
}
