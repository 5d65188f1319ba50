internal import PushModel

/// Statements that run for every answer that reports a bad token, and for every transaction that records
/// answers.
extension HotSQL {
    // MARK: Holding

    /// ?1 mark.
    static let trust = "SELECT \(AccountTrust.columns) FROM account_trust WHERE mark = ?1"

    /// ?1 account, ?2 accepted, ?3 about tokens, ?4 whether a message from the account was ever accepted, ?5
    /// the number of additional waiting verdicts, ?6 whether the account is proved, ?7 storm evidence, ?8
    /// rejected tokens and ?9 answers in the account's current run, ?10 doubt.
    static let countAnswers = """
        UPDATE account_trust SET accepted = ?2, about_tokens = ?3, has_accepted = ?4, waiting = waiting + ?5,
            proved = ?6, storm_evidence = ?7, run_about_tokens = ?8, run_answers = ?9, doubt = ?10
        WHERE id = ?1
        """

    /// The columns in the order in which ``VerdictRow`` reads them.
    static let verdictColumns = """
        id, account_id, delivery_id, gravity, provider_reason, decided_ms, count, first_subscription,
        last_subscription, subscriptions, dead_since
        """

    private static let boundVerdictColumns = """
        count, first_subscription, last_subscription, subscriptions, dead_since, account_id, delivery_id, \
        gravity,
            provider_reason, decided_ms
        """

    /// ?1 number of verdicts, ?2…?3 first and last subscription, ?4 all subscriptions, ?5 dead since, ?6
    /// account, ?7 delivery, ?8 gravity, ?9 the gateway's reason code, ?10 now in milliseconds.
    static let holdVerdicts = """
        INSERT INTO held_verdict (\(boundVerdictColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """

    /// ?1…?5 as in `holdVerdicts`, ?6 the row.
    static let rewriteVerdicts = """
        UPDATE held_verdict SET count = ?1, first_subscription = ?2, last_subscription = ?3, subscriptions = \
        ?4,
            dead_since = ?5
        WHERE id = ?6
        """

    /// ?1 the row.
    static let deleteVerdicts = "DELETE FROM held_verdict WHERE id = ?1"

    /// ?1 account, ?2 number of verdicts to subtract.
    static let lowerWaiting = """
        UPDATE account_trust SET waiting = CASE WHEN waiting > ?2 THEN waiting - ?2 ELSE 0 END WHERE id = ?1
        """

    // MARK: What acceptances undo

    /// The order is that of an index. Otherwise a server that considers such rows frequent would search the
    /// whole table for the first one.
    static let anyErrors =
        "SELECT 1 FROM quarantine WHERE state = \(StateCode.counting) ORDER BY last_error_at LIMIT 1"

    /// Reads the last entry of the primary key in one descent.
    static let lastHeld = """
        SELECT (SELECT id FROM held_verdict WHERE id > \(-Int64.max) ORDER BY id DESC LIMIT 1)
        """

    /// ?1…?2 subscriptions. Reads a range of the partial index. A scan by the primary key would also read all
    /// subscriptions of the range that are in quarantine.
    static let errorsOfSent = """
        SELECT subscription_id FROM quarantine
        WHERE state = \(StateCode.counting) AND subscription_id BETWEEN ?1 AND ?2 ORDER BY subscription_id
        """

    /// ?1…?2 subscriptions, ?3 the highest last subscription of a row that may contain one of them.
    private static let overlaps = "last_subscription BETWEEN ?1 AND ?3 AND first_subscription <= ?2"

    /// The parameters are those of `overlaps`. Selects the rows that have verdicts about subscriptions in the
    /// range, and the rows that have verdicts on both sides of the range.
    static let heldAbout = "SELECT \(verdictColumns) FROM held_verdict WHERE \(overlaps)"

    /// Selects the same rows as `heldAbout`.
    static let overlappingRows = "SELECT id, account_id, count FROM held_verdict WHERE \(overlaps)"

    // MARK: Settling

    /// ?1 account, ?2 limit, ?3 the last row to read. On PostgreSQL the rows are a range of the index. If the
    /// server searched by the primary key, it would read all rows of other accounts as well.
    static func heldVerdicts(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite:
            """
            SELECT \(verdictColumns) FROM held_verdict WHERE account_id = ?1 AND id <= ?3 ORDER BY id \
            LIMIT ?2
            """
        case .postgreSQL:
            """
            SELECT \(verdictColumns) FROM held_verdict
            WHERE (account_id, id) > (?1, 0) AND (account_id, id) <= (?1, ?3) ORDER BY account_id, id LIMIT ?2
            """
        }
    }

    /// ?1 subscription, ?2 state.
    static let quarantineSubscription = "UPDATE subscription SET disabled = ?2 WHERE id = ?1"

    /// ?1 subscription.
    static let errorsOfToken = """
        SELECT errors, last_error_at FROM quarantine
        WHERE subscription_id = ?1 AND coalesce(state, 0) = \(StateCode.counting)
        """

    /// ?1 subscription, ?2 state, ?3 errors, ?4 the last error that counted, ?5 now, ?6 source, ?7 the
    /// gateway's reason code, ?8 delivery.
    static let noteError = """
        INSERT INTO quarantine (subscription_id, state, errors, last_error_at, since, source, provider_reason,
            delivery_id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (subscription_id) DO UPDATE SET since = CASE quarantine.state WHEN excluded.state THEN \
        quarantine.since ELSE excluded.since END,
            state = excluded.state, errors = excluded.errors, last_error_at = excluded.last_error_at,
            source = excluded.source, provider_reason = excluded.provider_reason, delivery_id =
            excluded.delivery_id
        """

    /// ?1 the time before which errors are old, ?2 limit.
    static func forgetQuiet(_ dialect: SQLDialect) -> String {
        let quiet = """
            SELECT subscription_id FROM quarantine
            WHERE state = \(StateCode.counting) AND last_error_at < ?1 ORDER BY last_error_at LIMIT ?2
            """
        return switch dialect {
        case .sqlite: "DELETE FROM quarantine WHERE subscription_id IN (\(quiet))"
        // A join with the few rows found might read the whole table.
        case .postgreSQL: "DELETE FROM quarantine WHERE subscription_id = ANY (ARRAY(\(quiet)))"
        }
    }
}
