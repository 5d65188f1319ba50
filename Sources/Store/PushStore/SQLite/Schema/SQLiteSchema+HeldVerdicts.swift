extension SQLiteSchema {
    /// What the tenth migration adds: a row of `held_verdict` has many verdicts (``VerdictRow``). The rows of
    /// before stand aside until ``VerdictMigration`` has taken them over, in the same transaction.
    ///
    /// `waiting` of an account is the sum of `count` of its rows. A row's number is that of all its verdicts,
    /// which is what `judged_to` and `cleared_to` are compared with. Subscriptions are found by the interval
    /// that a row covers; no row is wider than ``VerdictRow/widest``, so that those before and behind need
    /// not be looked at.
    static let heldVerdicts = """
        DROP INDEX held_verdict_account;
        DROP INDEX held_verdict_subscription;
        ALTER TABLE held_verdict RENAME TO old_held_verdict;
        CREATE TABLE held_verdict (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account_id INTEGER NOT NULL,
            delivery_id INTEGER NOT NULL,
            gravity INTEGER NOT NULL,
            provider_reason TEXT NOT NULL,
            decided_ms INTEGER NOT NULL,
            count INTEGER NOT NULL,
            first_subscription INTEGER NOT NULL,
            last_subscription INTEGER NOT NULL,
            subscriptions BLOB NOT NULL,
            dead_since BLOB
        ) STRICT;
        CREATE INDEX held_verdict_account ON held_verdict (account_id, id);
        CREATE INDEX held_verdict_span ON held_verdict (last_subscription, first_subscription);
        """
}
