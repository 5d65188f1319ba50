internal import PushModel

/// What runs for every answer that calls a token bad, and for every transaction of answers.
extension HotSQL {
    // MARK: Holding

    /// ?1 mark.
    static let trust = "SELECT \(AccountTrust.columns) FROM account_trust WHERE mark = ?1"

    /// ?1 account, ?2 accepted, ?3 about tokens, ?4 whether it ever accepted, ?5 how many more verdicts wait, ?6 accepted
    /// and ?7 about tokens in the window before.
    static let countAnswers = """
        UPDATE account_trust SET accepted = ?2, about_tokens = ?3, has_accepted = ?4, waiting = waiting + ?5,
            accepted_before = ?6, about_tokens_before = ?7
        WHERE id = ?1
        """

    /// ?1 account, ?2 message, ?3 its delivery, ?4 gravity, ?5 the gateway's word, ?6 now and ?7 dead since, in
    /// milliseconds, ?8 subscription.
    static let holdVerdict = """
        INSERT INTO held_verdict (account_id, message_id, delivery_id, gravity, provider_reason, decided_ms,
            dead_since_ms, subscription_id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """

    // MARK: What acceptances undo

    static let anyErrors = "SELECT 1 FROM quarantine WHERE state = \(StateCode.counting) LIMIT 1"

    /// The primary key's last entry: one descent.
    static let lastHeld = "SELECT max(id) FROM held_verdict"

    /// ?1…?2 subscriptions.
    static let errorsOfSent = """
        SELECT subscription_id, 0, subscription_id FROM quarantine
        WHERE state = \(StateCode.counting) AND subscription_id BETWEEN ?1 AND ?2 AND CAST(?3 AS BIGINT) IS NOT NULL
        """

    /// ?1…?2 subscriptions, ?3 the last verdict that is meant.
    static let heldOfSent = """
        SELECT id, account_id, subscription_id FROM held_verdict
        WHERE subscription_id BETWEEN ?1 AND ?2 AND id <= ?3
        """

    /// ?1…?2 subscriptions, ?3 limit.
    static let heldAbout = """
        SELECT id, account_id FROM held_verdict
        WHERE subscription_id BETWEEN ?1 AND ?2 LIMIT ?3
        """

    // MARK: Settling

    /// ?1 account, ?2 limit, ?3 the last one wanted.
    static let heldVerdicts = """
        SELECT h.id, h.subscription_id, h.gravity, h.decided_ms, h.dead_since_ms, s.updated_at, s.disabled
        FROM held_verdict h LEFT JOIN subscription s ON s.id = h.subscription_id
        WHERE h.account_id = ?1 AND h.id <= ?3 ORDER BY h.id LIMIT ?2
        """

    /// ?1 subscription, ?2 state.
    static let quarantineSubscription = "UPDATE subscription SET disabled = ?2 WHERE id = ?1"

    /// ?1 subscription.
    static let errorsOfToken =
        "SELECT errors, last_error_at FROM quarantine WHERE subscription_id = ?1 AND state = \(StateCode.counting)"

    /// ?1 held verdict, ?2 state, ?3 errors, ?4 the last that counted, ?5 now, ?6 source.
    static let noteError = """
        INSERT INTO quarantine (subscription_id, state, errors, last_error_at, since, source, provider_reason,
            delivery_id)
        SELECT subscription_id, ?2, ?3, ?4, ?5, ?6, provider_reason, delivery_id FROM held_verdict WHERE id = ?1
        ON CONFLICT (subscription_id) DO UPDATE SET since = CASE quarantine.state WHEN excluded.state THEN quarantine.since ELSE excluded.since END,
            state = excluded.state, errors = excluded.errors, last_error_at = excluded.last_error_at,
            source = excluded.source, provider_reason = excluded.provider_reason, delivery_id = excluded.delivery_id
        """

    /// ?1 the time before which errors are old, ?2 limit.
    static let forgetQuiet = """
        DELETE FROM quarantine WHERE subscription_id IN (
            SELECT subscription_id FROM quarantine
            WHERE state = \(StateCode.counting) AND last_error_at < ?1 ORDER BY last_error_at LIMIT ?2)
        """
}
