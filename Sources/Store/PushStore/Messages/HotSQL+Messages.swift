internal import PushModel

/// Queries and writes for messages that are submitted individually.
extension HotSQL {
    // MARK: Recipients

    // `reads`: whether the parameters are returned, too.

    /// ?1 app, ?2 the token as ``StoredToken`` stores it.
    static func messageToken(_ reads: Bool) -> String {
        "SELECT id, disabled\(parameters(reads)) FROM subscription WHERE app_id = ?1 AND token = ?2"
    }

    /// ?1 app, ?2 user key, ?3 limit.
    static func messageUserKey(_ reads: Bool) -> String {
        """
        SELECT s.id, s.disabled\(parameters(reads))
        FROM user_key k JOIN subscription s ON s.id = k.subscription_id
        WHERE k.app_id = ?1 AND k.user_key = ?2 AND s.user_key = ?2 LIMIT ?3
        """
    }

    /// PostgreSQL only: ?1 apps, ?2 tokens. Each row contains the position of its input, starting at 1.
    static func messageTokens(_ reads: Bool) -> String {
        """
        SELECT g.place, s.id, s.disabled\(parameters(reads))
        FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS TEXT[])) WITH ORDINALITY AS g (app, token, place)
            JOIN LATERAL (SELECT id, disabled, parameters FROM subscription
                WHERE app_id = g.app AND token = g.token LIMIT 1) s ON TRUE
        """
    }

    /// PostgreSQL only: ?1 apps, ?2 user keys, ?3 limit for each user key.
    static func messageUserKeys(_ reads: Bool) -> String {
        """
        SELECT g.place, s.id, s.disabled\(parameters(reads))
        FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS TEXT[])) WITH ORDINALITY AS g (app, user_key, place)
            JOIN LATERAL (SELECT subscription_id FROM user_key
                WHERE app_id = g.app AND user_key = g.user_key ORDER BY subscription_id LIMIT ?3) k ON TRUE
            JOIN LATERAL (SELECT id, disabled, user_key, parameters FROM subscription
                WHERE id = k.subscription_id LIMIT 1) s ON TRUE
        WHERE s.user_key = g.user_key
        """
    }

    private static func parameters(_ reads: Bool) -> String { reads ? ", coalesce(parameters, '')" : "" }

    /// ?1 app. Returns its current revision.
    static let currentRevision = "SELECT current_revision FROM app WHERE id = ?1 AND removed_at IS NULL"

    // MARK: Open deliveries

    /// ?1 delivery, ?2 number of additional messages, ?3 now, ?4 the latest end of these messages' validity.
    /// Returns the number of the last message, or no row if the delivery does not accept the messages.
    static let joinOpenDelivery = """
        UPDATE delivery SET last_ordinal = last_ordinal + ?2
        WHERE id = ?1 AND \(DeliveryRow.isThisOpen) AND open_until > ?3 AND expires_at >= ?4
            AND NOT EXISTS (SELECT 1 FROM damaged_delivery WHERE delivery_id = ?1)
        RETURNING last_ordinal
        """

    /// ?1 time until which the delivery is open, ?2 service, ?3 priority.
    static let openDelivery = """
        SELECT id FROM delivery
        WHERE \(DeliveryRow.isOpen) AND open_until BETWEEN ?1 AND ?1 AND service_id = ?2 AND priority = ?3
            AND id NOT IN (SELECT delivery_id FROM damaged_delivery) ORDER BY open_until LIMIT 1
        """

    /// ?1 now, ?2 limit. Returns the deliveries to close.
    static let toClose = """
        SELECT id FROM delivery WHERE \(DeliveryRow.isOpen) AND open_until <= ?1 ORDER BY open_until LIMIT ?2
        """

    /// ?1 now. Returns the first time after ?1 at which a delivery must be closed.
    static let nextToClose = """
        SELECT open_until FROM delivery WHERE \(DeliveryRow.isOpen) AND open_until > ?1 ORDER BY open_until \
        LIMIT 1
        """

    // MARK: Contents

    /// ?1 delivery, ?2 revision, ?3 end of validity, ?4 digest.
    static let messageContent = """
        SELECT id FROM message_content WHERE delivery_id = ?1 AND revision_id = ?2 AND expires_at = ?3 AND \
        digest = ?4
        LIMIT 1
        """

    /// PostgreSQL only: ?1 deliveries, ?2 revisions, ?3 ends, ?4 digests in hex. Each row contains the
    /// position of its input, starting at 1.
    static let messageContents = """
        SELECT g.place, c.id
        FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS BIGINT[]), CAST(?3 AS BIGINT[]), CAST(?4 AS TEXT[]))
            WITH ORDINALITY AS g (delivery, revision, ends, digest, place)
            JOIN LATERAL (SELECT id FROM message_content
                WHERE delivery_id = g.delivery AND revision_id = g.revision AND expires_at = g.ends
                    AND digest = decode(g.digest, 'hex') LIMIT 1) c ON TRUE
        """

    /// ?1 delivery, ?2 revision, ?3 end of validity, ?4 digest, ?5 the number of the content, ?6 the content,
    /// ?7 whether its messages are sent now or never.
    static let insertMessageContent = """
        INSERT INTO message_content (id, delivery_id, revision_id, expires_at, digest, content, \
        is_now_or_never)
        VALUES (?5, ?1, ?2, ?3, ?4, ?6, ?7)
        """

    /// ?1 content, ?2 delivery. `delivery_id + 0` matches no index, so the content is looked up by its id,
    /// whatever the planner estimates. If the messages have values, all parts with this content have blocks
    /// of values, and the content has the number of the first of these parts.
    static let messageTerms = """
        SELECT d.tracking, d.retry_count, d.retry_period, c.expires_at, d.priority, c.content, \
        c.is_now_or_never,
            r.bundle_id, r.message_id_format, r.variables,
            coalesce((SELECT 1 FROM part_variables v WHERE v.part_id BETWEEN ?1 AND ?1
                ORDER BY v.part_id, v.first_index LIMIT 1), 0) AS has_values
        FROM message_content c JOIN delivery d ON d.id = ?2
            JOIN app_revision r ON r.id = (\(revision("x.bound_id")))
        WHERE c.id = ?1 AND c.delivery_id + 0 = ?2
        """

    /// ?1 content, ?2 delivery. Returns the app that the content is for.
    static let messageApp = """
        SELECT a.name, r.message_id_format
        FROM message_content c JOIN app_revision r ON r.id = (\(revision("x.bound_id")))
            JOIN app a ON a.id = (\(revision("x.app_id")))
        WHERE c.id = ?1 AND c.delivery_id + 0 = ?2
        """

    /// Returns a subquery that reads a column of `message_revision` for the content `c` of the delivery ?2.
    /// The form of the subquery makes the planner use the primary key, not the other index.
    private static func revision(_ column: String) -> String {
        """
        SELECT \(column) FROM message_revision x
        WHERE x.delivery_id BETWEEN ?2 AND ?2 AND x.revision_id = c.revision_id
        ORDER BY x.delivery_id, x.revision_id LIMIT 1
        """
    }

    // MARK: Keys

    /// ?1 scope, ?2 key, ?3 the time after which the request was accepted. `accepted_at + 0` matches no
    /// index, so the row is looked up by its key.
    static let idempotency = """
        SELECT body, messages FROM idempotency WHERE scope = ?1 AND key = ?2 AND accepted_at + 0 > ?3
        """

    /// PostgreSQL only: ?1 scopes, ?2 keys, ?3 the time after which the requests were accepted. Each row
    /// contains the position of its input, starting at 1.
    static let idempotencies = """
        SELECT g.place, i.body, i.messages
        FROM unnest(CAST(?1 AS TEXT[]), CAST(?2 AS TEXT[])) WITH ORDINALITY AS g (scope, key, place)
            JOIN LATERAL (SELECT body, messages FROM idempotency
                WHERE scope = g.scope AND key = g.key AND accepted_at + 0 > ?3 LIMIT 1) i ON TRUE
        """

    /// ?1 scope, ?2 key, ?3 body, ?4 the answer, ?5 subscription or 0, ?6 now.
    static let noteIdempotency = """
        INSERT INTO idempotency (scope, key, body, messages, subscription_id, accepted_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (scope, key) DO UPDATE SET body = ?3, messages = ?4, subscription_id = ?5, accepted_at = \
        ?6
        """

    /// ?1 the latest time of acceptance, ?2 limit.
    static let oldIdempotency = """
        SELECT scope, key FROM idempotency WHERE accepted_at <= ?1 ORDER BY accepted_at LIMIT ?2
        """
}
