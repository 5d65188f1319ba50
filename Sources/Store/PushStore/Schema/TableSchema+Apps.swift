extension TableSchema {
    /// An app's number is part of its subscriptions' ids. Deleted apps keep their rows (`removed_at`), and
    /// with them their services. `frequency_cap` is how many messages of a service its devices are sent at
    /// most, as people write it: `3 in 7d`; NULL: as many as there are. `label` is what people call an app;
    /// empty: they do not. Its picture stands apart, because an app's row is written with each registration.
    ///
    /// What an app gives to messages stands in revisions, of which it names the current one
    /// (``AppRevision``): a delivery is bound to one by `delivery_app`. Revisions are numbered, because a
    /// submission compares the number that it was checked against.
    var apps: [String] {
        [
            """
            CREATE TABLE service (
                id \(number),
                name \(text) NOT NULL UNIQUE,
                label \(text) NOT NULL,
                removed_at \(integer),
                frequency_cap \(text)
            \(end)
            """,
            """
            CREATE TABLE app (
                id \(number) CHECK (id < 1 << 22),
                service_id \(integer) NOT NULL REFERENCES service (id),
                name \(text) NOT NULL,
                platform \(text) NOT NULL,
                integration_key \(text) NOT NULL,
                connector \(text) NOT NULL,
                environment \(text) NOT NULL,
                credential_identity \(text) NOT NULL,
                sounds \(text) NOT NULL,
                last_sequence \(integer) NOT NULL DEFAULT 0,
                removed_at \(integer),
                revision \(integer) NOT NULL DEFAULT 0,
                feedback_polled_at \(integer),
                current_revision \(either("INTEGER REFERENCES app_revision (id)", integer)),
                parameters \(text) NOT NULL DEFAULT '[]',
                label \(text) NOT NULL DEFAULT ''
            \(end)
            """,
            "CREATE UNIQUE INDEX app_name ON app (name) WHERE removed_at IS NULL",
            """
            CREATE UNIQUE INDEX app_integration_key ON app (platform, environment, integration_key)
                WHERE removed_at IS NULL
            """,
            """
            CREATE TABLE credential (
                app_id \(integer) PRIMARY KEY REFERENCES app (id),
                sealed \(bytes) NOT NULL,
                changed_at \(integer)
            \(end)
            """,
            """
            CREATE TABLE app_revision (
                id \(number),
                app_id \(integer) NOT NULL REFERENCES app (id),
                bundle_id \(text) NOT NULL,
                message_id_format \(text) NOT NULL,
                variables \(text) NOT NULL
            \(end)
            """,
            """
            CREATE TABLE app_icon (
                app_id \(integer) PRIMARY KEY REFERENCES app (id),
                width \(integer) NOT NULL,
                height \(integer) NOT NULL,
                image \(bytes) NOT NULL
            \(end)
            """,
        ]
            // There, only a table that is made already can be referred to.
            + onPostgreSQL("ALTER TABLE app ADD FOREIGN KEY (current_revision) REFERENCES app_revision (id)")
    }
}
