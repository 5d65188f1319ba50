extension TableSchema {
    /// id = app << 40 | sequence. Numbers are never used again (`app.last_sequence`). `disabled` has the
    /// states of ``StateCode``.
    ///
    /// `user_key` is a table and not an index so that an import can fill it in its own order. Its rows are
    /// hints: each subscription with a user key has one, but after a crash a hint may exist without its
    /// subscription. Code that looks up a key must join the subscription and compare its user key.
    ///
    /// The user key of a removed subscription is kept, so that logs of messages to it contain the key until
    /// the logs themselves are removed.
    var subscribers: [String] {
        [
            """
            CREATE TABLE subscription (
                id \(integer) PRIMARY KEY,
                app_id \(integer) NOT NULL,
                token \(token) NOT NULL,
                user_key \(text) NOT NULL,
                parameters \(text),
                disabled \(integer) NOT NULL DEFAULT 0,
                created_at \(integer) NOT NULL,
                updated_at \(integer) NOT NULL
            \(end)
            """,
            "CREATE UNIQUE INDEX subscription_token ON subscription (app_id, token)",
            """
            CREATE TABLE user_key (
                app_id \(integer) NOT NULL,
                user_key \(text) NOT NULL,
                subscription_id \(integer) NOT NULL,
                PRIMARY KEY (app_id, user_key, subscription_id)
            \(keyedEnd)
            """,
            """
            CREATE TABLE removed_subscription (
                id \(integer) PRIMARY KEY,
                user_key \(text) NOT NULL,
                removed_at \(integer) NOT NULL
            \(end)
            """,
            "CREATE INDEX removed_subscription_key ON removed_subscription (user_key)",
            "CREATE INDEX removed_subscription_time ON removed_subscription (removed_at)",
        ]
            // With this index, preparation need not read rows: it counts subscriptions in the primary key's
            // index and finds the excluded ones in this index.
            + onPostgreSQL("CREATE INDEX subscription_disabled ON subscription (id) WHERE disabled <> 0")
    }
}
