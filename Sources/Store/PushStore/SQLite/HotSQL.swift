internal import PushModel
internal import PushQueue

/// The statements that run for every message or every chunk of messages. Tests verify the plan of each one.
enum HotSQL {
    /// ?1 the writer's name, ?2 the number of its group.
    static let noteGroup = """
        INSERT INTO writer (name, last_group) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET last_group = ?2
        """

    // MARK: Preparing

    /// ?1 how many message numbers to assign to a part. Returns two message
    /// numbers: the highest one assigned, and the one at which the latest existing part ends that begins at
    /// or before it.
    static let takeNumbers = """
        UPDATE numbering SET last_message = last_message + ?1
        WHERE last_message BETWEEN \(NumberTable.possible.lowerBound) AND \(NumberTable.possible.upperBound)
        RETURNING last_message, (
            SELECT p.id + CASE WHEN p.count BETWEEN 1 AND \(PartLimits.messages) THEN p.count - 1 ELSE 0 END
            FROM part p WHERE p.id <= last_message ORDER BY p.id DESC LIMIT 1)
        """

    /// ?1…?2 subscription range (first excluded), ?3 limit. A server takes as long to send a row as to find
    /// it, so on PostgreSQL the statement returns two values: all ids, eight bytes each with the most
    /// significant first, and the disabled ones in the same format, each with its reason.
    static func prepareAll(_ dialect: SQLDialect) -> String {
        let chunk = "\(prepare) WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3"
        return switch dialect {
        case .sqlite: chunk
        case .postgreSQL:
            """
            SELECT string_agg(int8send(id), ''),
                string_agg(int8send(id) || int8send(disabled), '') FILTER (WHERE disabled <> 0)
            FROM (\(chunk)) AS chunk
            """
        }
    }

    /// PostgreSQL only. The parameters are those of `prepareAll`. Returns the number of subscriptions in the
    /// chunk, the last subscription, and the disabled subscriptions, packed in the format of `prepareAll`. If
    /// the ids of the chunk have no gaps, these values are sufficient and no row is read.
    static let prepareRun = """
        SELECT count, last, (
            SELECT string_agg(int8send(id) || int8send(disabled), '')
            FROM (SELECT id, disabled FROM subscription
                WHERE disabled <> 0 AND id > ?1 AND id <= chunk.last ORDER BY id) AS left_out)
        FROM (
            SELECT count(*) AS count, max(id) AS last
            FROM (SELECT id FROM subscription WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3) AS taken) AS
            chunk
        """

    /// ?1…?2 subscription range (first excluded), ?3 the number of subscriptions to skip. Returns the
    /// subscription after the skipped ones.
    static let chunkEnd =
        "SELECT id FROM subscription WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT 1 OFFSET ?3"

    /// SQLite only. The disabled subscriptions of a range (first excluded), each with the reason.
    static let disabledInRange =
        "SELECT id, disabled FROM subscription WHERE id > ?1 AND id <= ?2 AND disabled <> 0 ORDER BY id"

    /// ?1…?2 subscription range (first excluded), ?3 limit, ?4 the required parameters, a JSON object of
    /// strings.
    static func prepareByParameters(_ dialect: SQLDialect) -> String {
        "\(prepare) WHERE id > ?1 AND id <= ?2 AND \(ParameterSQL.match("?4", dialect)) ORDER BY id LIMIT ?3"
    }

    /// ?1…?2 subscription range (first excluded), ?3 limit. Includes the parameters of each subscription.
    static let prepareByExpression = """
        SELECT id, disabled, parameters FROM subscription WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3
        """

    /// The parameters are those of `prepareByParameters`, except ?4 the user key, ?5 app.
    static func prepareByUserKey(_ dialect: SQLDialect) -> String {
        let subscription =
            switch dialect {
            case .sqlite: "JOIN subscription s ON s.id = k.subscription_id"
            case .postgreSQL:
                """
                CROSS JOIN LATERAL (
                    SELECT id, disabled, user_key FROM subscription WHERE id = k.subscription_id LIMIT 1) s
                """
            }
        return """
            SELECT s.id, s.disabled FROM user_key AS k \(subscription)
            WHERE k.app_id = ?5 AND k.user_key = ?4 AND k.subscription_id > ?1 AND k.subscription_id <= ?2
                AND s.user_key = ?4
            ORDER BY k.subscription_id LIMIT ?3
            """
    }

    /// The parameters are those of `prepareByUserKey`, except ?4 the token in the form in which
    /// ``StoredToken`` stores it.
    static let prepareByToken = """
        \(prepare)
        WHERE app_id = ?5 AND token = ?4 AND id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3
        """

    private static let prepare = "SELECT id, disabled FROM subscription"
}
