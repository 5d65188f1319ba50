extension HotSQL {
    /// ?1 app, ?2 the token in the form in which ``StoredToken`` stores it.
    static let findByToken = """
        SELECT id, user_key, parameters, disabled FROM subscription WHERE app_id = ?1 AND token = ?2
        """

    /// PostgreSQL only: ?1 app, ?2 tokens. Returns one row for each token, in the order of the tokens.
    ///
    /// LATERAL with a limit looks up each token by the index. A plain join would read all of the app's rows
    /// if the server has not yet collected statistics about its rows.
    static let findByTokens = """
        SELECT s.id, s.user_key, s.parameters, s.disabled
        FROM unnest(CAST(?2 AS TEXT[])) WITH ORDINALITY AS g (token, place)
            LEFT JOIN LATERAL (SELECT * FROM subscription WHERE app_id = ?1 AND token = g.token LIMIT 1) s
            ON TRUE
        ORDER BY g.place
        """

    /// ?1 app, ?2 user key. Uses a subquery instead of a join: a server that has not yet collected statistics
    /// would join every row of one table with every row of the other.
    static let findDevices = """
        SELECT k.subscription_id FROM user_key k WHERE k.app_id = ?1 AND k.user_key = ?2
            AND (SELECT s.user_key FROM subscription s WHERE s.id = k.subscription_id) = ?2
        """

    /// ?1 id.
    static let findByID = "SELECT token, user_key FROM subscription WHERE id = ?1"
    /// ?1 id.
    static let findRemovedByID = "SELECT user_key FROM removed_subscription WHERE id = ?1"

    /// PostgreSQL only: ?1 ids. Returns one row for each id, in the order of the ids, with the columns of
    /// ``findByID`` and ``findRemovedByID``.
    static let findByIDs = """
        SELECT s.token, s.user_key, r.user_key
        FROM unnest(CAST(?1 AS BIGINT[])) WITH ORDINALITY AS g (id, place)
            LEFT JOIN LATERAL (SELECT token, user_key FROM subscription WHERE id = g.id LIMIT 1) s ON TRUE
            LEFT JOIN LATERAL (SELECT user_key FROM removed_subscription WHERE id = g.id LIMIT 1) r ON TRUE
        ORDER BY g.place
        """

    /// The new state of a subscription whose errors no longer count.
    static let validUnlessOptedOut =
        "CASE disabled WHEN \(StateCode.optedOut) THEN disabled ELSE \(StateCode.valid) END"

    /// ?1 app, ?2 the token in the form in which ``StoredToken`` stores it, ?3 now, ?4 user key, ?5
    /// parameters.
    static let confirm = """
        UPDATE subscription SET updated_at = ?3, disabled = \(validUnlessOptedOut)
        WHERE app_id = ?1 AND token = ?2 AND user_key = ?4 AND (CAST(?5 AS TEXT) IS NULL OR parameters = ?5)
        """

    /// PostgreSQL only: ?1 now, ?2 subscriptions.
    static let touchSubscriptions = """
        UPDATE subscription SET updated_at = ?1, disabled = \(validUnlessOptedOut)
        WHERE id = ANY (CAST(?2 AS BIGINT[]))
        """

    /// ?1 id, ?2 app, ?3 the token in the form in which ``StoredToken`` stores it, ?4 user key, ?5
    /// parameters, ?6 now.
    static let insertSubscription = """
        INSERT INTO subscription (id, app_id, token, user_key, parameters, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (app_id, token) DO NOTHING
        """

    /// PostgreSQL only: ?1 app, ?2 now, ?3 ids, ?4 tokens, ?5 user keys, ?6 parameters.
    static let insertSubscriptions = """
        INSERT INTO subscription (id, app_id, token, user_key, parameters, created_at, updated_at)
        SELECT g.id, CAST(?1 AS BIGINT), g.token, g.user_key, g.parameters, CAST(?2 AS BIGINT), CAST(?2 AS \
        BIGINT)
        FROM unnest(CAST(?3 AS BIGINT[]), CAST(?4 AS TEXT[]), CAST(?5 AS TEXT[]), CAST(?6 AS TEXT[]))
            AS g (id, token, user_key, parameters)
        ON CONFLICT (app_id, token) DO NOTHING
        """

    /// ?1 id, ?2 user key, ?3 parameters, ?4 now, ?5 whether it is a registration.
    static let replaceSubscription = """
        UPDATE subscription SET user_key = ?2, parameters = coalesce(?3, \(parameters(forUser: "?2"))),
            updated_at = CASE WHEN ?5 = 1 THEN ?4 ELSE updated_at END,
            disabled = CASE WHEN ?5 = 1 THEN \(validUnlessOptedOut) ELSE disabled END
        WHERE id = ?1
        """
}
