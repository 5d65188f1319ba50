internal import PushModel

/// The statements that run for every message or every chunk of them. Tests assert the plan of each one.
enum HotSQL {
    // MARK: Reading

    /// ?1…?2 message range, ?3 limit.
    static let pending = """
        SELECT m.id, s.token, s.user_key, s.parameters
        FROM message m LEFT JOIN subscription s ON s.id = m.subscription_id
        WHERE m.id BETWEEN ?1 AND ?2 AND m.state = \(StateCode.pending)
        ORDER BY m.id LIMIT ?3
        """

    /// ?1 app, ?2 due by, (?3, ?4) the due time and id after which to go on, ?5 limit.
    static let retries = """
        SELECT m.id, s.token, s.user_key, s.parameters, m.delivery_id, m.attempts, m.due_at,
            (SELECT p.first_ordinal + m.id - p.first_id FROM part p
             WHERE p.delivery_id = m.delivery_id AND p.last_id >= m.id ORDER BY p.last_id LIMIT 1)
        FROM message m LEFT JOIN subscription s ON s.id = m.subscription_id
        WHERE m.state = \(StateCode.retrying) AND m.app_id = ?1 AND m.due_at <= ?2 AND (m.due_at, m.id) > (?3, ?4)
            AND m.delivery_id NOT IN (SELECT delivery_id FROM damaged_delivery)
        ORDER BY m.due_at, m.id LIMIT ?5
        """

    /// ?1 app, ?2 due by, ?3 limit.
    static let retriesDue = """
        SELECT count(*) FROM (
            SELECT 1 FROM message
            WHERE state = \(StateCode.retrying) AND app_id = ?1 AND due_at <= ?2
                AND delivery_id NOT IN (SELECT delivery_id FROM damaged_delivery) LIMIT ?3)
        """

    /// ?1 now: the first retry after it, of any app.
    static let nextRetry = """
        SELECT min((SELECT m.due_at FROM message m
            WHERE m.state = \(StateCode.retrying) AND m.app_id = app.id AND m.due_at > ?1 ORDER BY m.due_at LIMIT 1))
        FROM app
        """

    /// ?1 the part after which to go on, ?2 limit.
    static let openParts = """
        SELECT p.id, p.delivery_id, p.app_id, p.first_id, p.last_id, p.first_ordinal
        FROM part p CROSS JOIN delivery d ON d.id = p.delivery_id
        WHERE p.open = 1 AND p.id > ?1 AND d.state IN ('preparing', 'inProgress')
            AND d.id NOT IN (SELECT delivery_id FROM damaged_delivery)
        ORDER BY p.id LIMIT ?2
        """

    /// ?1…?2 parts, ?3 app, ?4 limit.
    static let openPartsOfApp = """
        SELECT p.id, p.delivery_id, p.app_id, p.first_id, p.last_id, p.first_ordinal
        FROM part p CROSS JOIN delivery d ON d.id = p.delivery_id
        WHERE p.open = 1 AND p.id BETWEEN ?1 AND ?2 AND p.app_id = ?3 AND d.state IN ('preparing', 'inProgress')
            AND d.id NOT IN (SELECT delivery_id FROM damaged_delivery)
        ORDER BY p.id LIMIT ?4
        """

    /// ?1 app, ?2 the token as ``StoredToken`` stores it.
    static let findByToken = """
        SELECT id, user_key, parameters, disabled FROM subscription WHERE app_id = ?1 AND token = ?2
        """

    /// ?1 app, ?2 the token as ``StoredToken`` stores it, ?3 now, ?4 user key, ?5 parameters.
    static let confirm = """
        UPDATE subscription SET updated_at = ?3, disabled = \(StateCode.valid)
        WHERE app_id = ?1 AND token = ?2 AND user_key = ?4 AND (?5 IS NULL OR parameters = ?5)
        """

    /// ?1 app, ?2 the token as ``StoredToken`` stores it, ?4 user key, ?5 parameters.
    static let compare = """
        SELECT disabled FROM subscription
        WHERE app_id = ?1 AND token = ?2 AND user_key = ?4 AND (?5 IS NULL OR parameters = ?5)
        """

    /// ?1 delivery, ?2 the message after which to go on, ?3 limit.
    static let logPage = """
        SELECT m.id, p.first_ordinal + m.id - p.first_id AS ordinal, m.app_id, a.name AS app_name,
            r.message_id_format, s.token, m.state, m.attempts, m.failure_type, m.failure_reason,
            m.provider_reason, m.provider_id, m.updated_at,
            CASE WHEN s.id IS NULL THEN (SELECT user_key FROM removed_subscription WHERE id = m.subscription_id)
                ELSE s.user_key END AS user_key
        FROM part p CROSS JOIN app a ON a.id = p.app_id
            LEFT JOIN delivery_app x ON x.delivery_id = p.delivery_id AND x.app_id = p.app_id
            LEFT JOIN app_revision r ON r.id = x.revision_id
            CROSS JOIN message m ON m.id BETWEEN max(p.first_id, ?2 + 1) AND p.last_id
            LEFT JOIN subscription s ON s.id = m.subscription_id
        WHERE p.delivery_id = ?1 AND p.last_id > ?2
        ORDER BY p.last_id, m.id LIMIT ?3
        """

    // MARK: Recording

    /// ?1…?2 message range, ?3 delivery, ?4 now.
    static let sendPending = """
        UPDATE message SET state = \(StateCode.sent), attempts = attempts + 1, updated_at = ?4
        WHERE id BETWEEN ?1 AND ?2 AND state = \(StateCode.pending) AND delivery_id = ?3
        """

    /// The same for messages that had been tried: their last failure is no longer true.
    static let sendRetrying = """
        UPDATE message SET state = \(StateCode.sent), attempts = attempts + 1, updated_at = ?4,
            due_at = NULL, failure_type = NULL, failure_reason = NULL, provider_reason = NULL
        WHERE id BETWEEN ?1 AND ?2 AND state = \(StateCode.retrying) AND delivery_id = ?3
        """

    /// The same for messages that had ended otherwise, ?5 the state they ended in.
    static let sendEnded = """
        UPDATE message SET state = \(StateCode.sent), attempts = attempts + 1, updated_at = ?4,
            due_at = NULL, failure_type = NULL, failure_reason = NULL, provider_reason = NULL
        WHERE id BETWEEN ?1 AND ?2 AND state = ?5 AND delivery_id = ?3
        """

    /// ?1 message, ?2 state wanted, ?3 delivery, ?4 now, ?5 new state, ?6 attempts to add, ?7 due, ?8 failure type,
    /// ?9 reason, ?10 the gateway's word, ?11 its id.
    static let change = """
        UPDATE message SET state = ?5, attempts = attempts + ?6, updated_at = ?4, due_at = ?7, failure_type = ?8,
            failure_reason = ?9, provider_reason = ?10, provider_id = ?11
        WHERE id = ?1 AND state = ?2 AND delivery_id = ?3
        """

    /// ?1 delivery, ?2 newly excluded, ?3 fewer pending; and by how many more there are of ?4 retrying, ?5 sent,
    /// ?6 failed and ?7 cancelled.
    static let countOutcomes = """
        UPDATE delivery SET targeted = targeted - ?2, excluded = excluded + ?2, pending = pending - ?3,
            retrying = retrying + ?4, sent = sent + ?5, failed = failed + ?6, cancelled = cancelled + ?7
        WHERE id = ?1
        """

    /// ?1 delivery, ?2 now in milliseconds.
    static let finish = """
        UPDATE delivery SET state = 'finished', finished_ms = ?2
        WHERE id = ?1 AND prepared = 1 AND pending = 0 AND retrying = 0 AND \(DeliveryRow.isLive)
        """

    /// ?1…?2 message range, ?3 now.
    static let cancelPending = """
        UPDATE message SET state = \(StateCode.cancelled), updated_at = ?3, provider_reason = 'expired'
        WHERE id BETWEEN ?1 AND ?2 AND state = \(StateCode.pending)
        """

    /// ?1…?2 message range, ?3 now. The last answer stays on the row: it is why the message failed.
    static let failRetrying = """
        UPDATE message SET state = \(StateCode.failed), updated_at = ?3, due_at = NULL
        WHERE id BETWEEN ?1 AND ?2 AND state = \(StateCode.retrying)
        """

    /// ?1…?2 message range, ?3 delivery, ?4 now, ?5 the state they wait in, ?6 why.
    static let failLost = """
        UPDATE message SET state = \(StateCode.failed), updated_at = ?4, due_at = NULL, failure_type = \(FailureType.soft.rawValue),
            failure_reason = \(FailureReason.unreachable.rawValue), provider_reason = ?6
        WHERE id BETWEEN ?1 AND ?2 AND state = ?5 AND delivery_id = ?3 AND coalesce(due_at, ?4) <= ?4
        """

    /// ?1 the writer's name, ?2 the number of its group.
    static let noteGroup = """
        INSERT INTO writer (name, last_group) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET last_group = ?2
        """

    // MARK: Preparing

    /// ?1 delivery, ?2 app, ?3 now, ?4…?5 subscription range (its first excluded), ?6 limit.
    static let prepareAll = """
        \(prepare)
        WHERE id > ?4 AND id <= ?5 ORDER BY id LIMIT ?6
        """

    /// As above, ?7 the parameters wanted, a JSON object of texts.
    static let prepareByParameters = """
        \(prepare)
        WHERE id > ?4 AND id <= ?5 AND CASE WHEN json_valid(parameters) THEN NOT EXISTS (
            SELECT 1 FROM json_each(?7) AS wanted
            WHERE NOT EXISTS (
                SELECT 1 FROM json_each(subscription.parameters) AS given
                WHERE given.key = wanted.key AND given.value = wanted.value))
            ELSE 0 END
        ORDER BY id LIMIT ?6
        """

    /// As above, ?7 the user key.
    static let prepareByUserKey = """
        \(prepare) JOIN user_key AS k ON k.subscription_id = id
        WHERE k.app_id = ?2 AND k.user_key = ?7 AND k.subscription_id > ?4 AND k.subscription_id <= ?5
            AND subscription.user_key = ?7
        ORDER BY k.subscription_id LIMIT ?6
        """

    /// As above, ?7 the token as ``StoredToken`` stores it.
    static let prepareByToken = """
        \(prepare)
        WHERE app_id = ?2 AND token = ?7 AND id > ?4 AND id <= ?5 ORDER BY id LIMIT ?6
        """

    private static let prepare = """
        INSERT INTO message (delivery_id, app_id, subscription_id, state, attempts, updated_at, failure_type,
            failure_reason, provider_reason)
        SELECT ?1, ?2, id, CASE disabled WHEN \(StateCode.valid) THEN \(StateCode.pending) ELSE \(StateCode.excluded) END, 0, ?3,
            CASE disabled WHEN \(StateCode.valid) THEN NULL ELSE \(FailureType.hard.rawValue) END,
            CASE disabled WHEN \(StateCode.valid) THEN NULL ELSE \(FailureReason.inQuarantine.rawValue) END,
            CASE disabled WHEN \(StateCode.valid) THEN NULL
                WHEN \(StateCode.quarantined) THEN 'in quarantine: its token gave errors'
                ELSE 'subscription disabled' END
        FROM subscription
        """
}
