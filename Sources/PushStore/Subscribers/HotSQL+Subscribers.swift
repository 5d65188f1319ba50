extension HotSQL {
    /// ?1 app, ?2 the token as ``StoredToken`` stores it.
    static let findByToken = """
        SELECT id, user_key, parameters, disabled FROM subscription WHERE app_id = ?1 AND token = ?2
        """

    /// Of PostgreSQL alone: ?1 app, ?2 tokens. A row for each token, in their order.
    static let findByTokens = """
        SELECT s.id, s.user_key, s.parameters, s.disabled
        FROM unnest(CAST(?2 AS TEXT[])) WITH ORDINALITY AS g (token, place)
            LEFT JOIN subscription s ON s.app_id = ?1 AND s.token = g.token
        ORDER BY g.place
        """

    /// ?1 app, ?2 the token as ``StoredToken`` stores it, ?3 now, ?4 user key, ?5 parameters.
    static let confirm = """
        UPDATE subscription SET updated_at = ?3, disabled = \(StateCode.valid)
        WHERE app_id = ?1 AND token = ?2 AND user_key = ?4 AND (CAST(?5 AS TEXT) IS NULL OR parameters = ?5)
        """

    /// Of PostgreSQL alone: ?1 now, ?2 subscriptions.
    static let touchSubscriptions = """
        UPDATE subscription SET updated_at = ?1, disabled = \(StateCode.valid) WHERE id = ANY (CAST(?2 AS BIGINT[]))
        """

    /// ?1 id, ?2 app, ?3 the token as ``StoredToken`` stores it, ?4 user key, ?5 parameters, ?6 now.
    static let insertSubscription = """
        INSERT INTO subscription (id, app_id, token, user_key, parameters, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (app_id, token) DO NOTHING
        """

    /// Of PostgreSQL alone: ?1 app, ?2 now, ?3 ids, ?4 tokens, ?5 user keys, ?6 parameters.
    static let insertSubscriptions = """
        INSERT INTO subscription (id, app_id, token, user_key, parameters, created_at, updated_at)
        SELECT g.id, CAST(?1 AS BIGINT), g.token, g.user_key, g.parameters, CAST(?2 AS BIGINT), CAST(?2 AS BIGINT)
        FROM unnest(CAST(?3 AS BIGINT[]), CAST(?4 AS TEXT[]), CAST(?5 AS TEXT[]), CAST(?6 AS TEXT[]))
            AS g (id, token, user_key, parameters)
        ON CONFLICT (app_id, token) DO NOTHING
        """

    /// ?1 id, ?2 user key, ?3 parameters, ?4 now, ?5 whether it is a registration.
    static let replaceSubscription = """
        UPDATE subscription SET user_key = ?2, parameters = coalesce(?3, parameters),
            updated_at = CASE WHEN ?5 = 1 THEN ?4 ELSE updated_at END,
            disabled = CASE WHEN ?5 = 1 THEN \(StateCode.valid) ELSE disabled END
        WHERE id = ?1
        """
}
