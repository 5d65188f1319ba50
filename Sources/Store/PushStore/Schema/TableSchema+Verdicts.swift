internal import PushModel

extension TableSchema {
    /// Verdicts about tokens, both from the answer until they are believed and afterwards.
    ///
    /// `account_trust` has a row for each account that ever answered, with its `TrustEvidence`. A row of
    /// `held_verdict` contains many verdicts (``VerdictRow``). All verdicts of a row share the row's number,
    /// which is compared with `judged_to` and `cleared_to`. An account's `waiting` is the sum of `count` over
    /// the account's rows; code that adds or deletes a row must update it. The rows about a subscription are
    /// found by the interval of subscriptions that each row covers. No row is wider than
    /// ``VerdictRow/widest``, so more distant rows need not be read.
    ///
    /// A quarantine row belongs to a subscription that gave errors. Its states are those of
    /// ``QuarantineState``. Excluding states are also stored in `subscription.disabled`, where preparation
    /// sees them without another look-up. Neither table repeats the app, because a subscription's number
    /// contains it.
    var verdicts: [String] {
        [
            """
            CREATE TABLE account_trust (
                id \(plainNumber),
                mark \(text) NOT NULL UNIQUE,
                accepted \(integer) NOT NULL DEFAULT 0,
                about_tokens \(integer) NOT NULL DEFAULT 0,
                has_accepted \(integer) NOT NULL DEFAULT 0,
                waiting \(integer) NOT NULL DEFAULT 0,
                judged_to \(integer) NOT NULL DEFAULT 0,
                cleared_to \(integer) NOT NULL DEFAULT 0,
                storm_ms \(integer),
                first_seen_ms \(integer) NOT NULL,
                proved \(integer) NOT NULL DEFAULT 0,
                storm_evidence \(integer) NOT NULL DEFAULT 0,
                run_about_tokens \(integer) NOT NULL DEFAULT 0,
                run_answers \(integer) NOT NULL DEFAULT 0,
                doubt \(integer) NOT NULL DEFAULT 0,
                dead_per_million \(integer) NOT NULL DEFAULT 20000
            \(end)
            """,
            """
            CREATE TABLE held_verdict (
                id \(number),
                account_id \(integer) NOT NULL,
                delivery_id \(integer) NOT NULL,
                gravity \(integer) NOT NULL,
                provider_reason \(text) NOT NULL,
                decided_ms \(integer) NOT NULL,
                count \(integer) NOT NULL,
                first_subscription \(integer) NOT NULL,
                last_subscription \(integer) NOT NULL,
                subscriptions \(bytes) NOT NULL,
                dead_since \(bytes)
            \(end)
            """,
            "CREATE INDEX held_verdict_account ON held_verdict (account_id, id)",
            "CREATE INDEX held_verdict_span ON held_verdict (last_subscription, first_subscription)",
            """
            CREATE TABLE quarantine (
                subscription_id \(integer) PRIMARY KEY,
                state \(integer) NOT NULL,
                errors \(integer) NOT NULL,
                last_error_at \(integer) NOT NULL,
                since \(integer) NOT NULL,
                source \(integer) NOT NULL,
                provider_reason \(text) NOT NULL,
                delivery_id \(integer)
            \(end)
            """,
            """
            CREATE INDEX quarantine_counting ON quarantine (\(leading("state"))subscription_id)
                WHERE state = \(StateCode.counting)
            """,
            """
            CREATE INDEX quarantine_last_error ON quarantine (\(leading("state"))last_error_at)
                WHERE state = \(StateCode.counting)
            """,
            "CREATE INDEX quarantine_since ON quarantine (since) WHERE \(StateCode.isExcluding)",
        ]
    }
}
