extension SQLiteSchema {
    /// What the second migration adds: verdicts about tokens, from the answer until they are believed, and
    /// after.
    ///
    /// `account_trust` has a row for each account that ever answered; `waiting` is how many rows of
    /// `held_verdict` name it, kept by whoever adds or deletes one; `judged_to` and `cleared_to` are numbers
    /// of verdicts, which therefore must not come back (the tenth migration makes rows of many verdicts). A
    /// quarantine row belongs to a subscription that gave errors; its states are those of
    /// ``QuarantineState``, and those that exclude stand in `subscription.disabled` too, where preparation
    /// sees them without a look aside. Neither table repeats the app: a subscription's number has it.
    static let verdicts = """
        ALTER TABLE app ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE app ADD COLUMN feedback_polled_at INTEGER;
        ALTER TABLE credential ADD COLUMN changed_at INTEGER;
        CREATE TABLE account_trust (
            id INTEGER PRIMARY KEY,
            mark TEXT NOT NULL UNIQUE,
            accepted INTEGER NOT NULL DEFAULT 0,
            about_tokens INTEGER NOT NULL DEFAULT 0,
            accepted_before INTEGER NOT NULL DEFAULT 0,
            about_tokens_before INTEGER NOT NULL DEFAULT 0,
            has_accepted INTEGER NOT NULL DEFAULT 0,
            waiting INTEGER NOT NULL DEFAULT 0,
            judged_to INTEGER NOT NULL DEFAULT 0,
            cleared_to INTEGER NOT NULL DEFAULT 0,
            storm_ms INTEGER,
            first_seen_ms INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE held_verdict (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account_id INTEGER NOT NULL,
            subscription_id INTEGER NOT NULL,
            delivery_id INTEGER NOT NULL,
            message_id INTEGER NOT NULL,
            gravity INTEGER NOT NULL,
            provider_reason TEXT NOT NULL,
            decided_ms INTEGER NOT NULL,
            dead_since_ms INTEGER
        ) STRICT;
        CREATE INDEX held_verdict_account ON held_verdict (account_id);
        CREATE INDEX held_verdict_subscription ON held_verdict (subscription_id);
        CREATE TABLE quarantine (
            subscription_id INTEGER PRIMARY KEY,
            state INTEGER NOT NULL,
            errors INTEGER NOT NULL,
            last_error_at INTEGER NOT NULL,
            since INTEGER NOT NULL,
            source INTEGER NOT NULL,
            provider_reason TEXT NOT NULL,
            delivery_id INTEGER
        ) STRICT;
        CREATE INDEX quarantine_counting ON quarantine (state) WHERE state = 3;
        CREATE INDEX quarantine_last_error ON quarantine (last_error_at) WHERE state = 3;
        """
}
