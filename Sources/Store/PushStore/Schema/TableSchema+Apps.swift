extension TableSchema {
    /// An app's number is part of its subscriptions' ids. The rows of deleted apps (`removed_at`) and of
    /// their services are kept. `frequency_cap` limits how many of a service's messages each device receives
    /// within a period, in the form in which operators write the limit: `3 in 7d`; NULL means no limit.
    /// `label` is the app's display name; empty if it has none. The app's picture is stored separately,
    /// because an app's row is written with each registration.
    ///
    /// The properties that an app gives to messages are stored in revisions, and the app names the current
    /// one (``AppRevision``). `delivery_app` binds a delivery to a revision. The number of a revision lets a
    /// submission detect that the revision against which it was checked is no longer the current one.
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
            // On PostgreSQL, a reference can only name a table that already exists.
            + onPostgreSQL("ALTER TABLE app ADD FOREIGN KEY (current_revision) REFERENCES app_revision (id)")
    }

    /// The connection that an app had before its connector or its credential was last changed: see
    /// ``FormerConnection``. `sealed` is the sealed credential; NULL if the app had none.
    var formerConnections: [String] {
        [
            """
            CREATE TABLE former_connection (
                app_id \(integer) PRIMARY KEY REFERENCES app (id),
                connector \(text) NOT NULL,
                environment \(text) NOT NULL,
                bundle_id \(text) NOT NULL,
                credential_identity \(text) NOT NULL,
                sealed \(bytes),
                replaced_at \(integer) NOT NULL
            \(end)
            """
        ]
    }

    /// The keys of each app that has two integration keys, with the registrations since the second key was
    /// added (``IntegrationKeys``). An app with one key has no row here.
    var appKeys: [String] {
        [
            """
            CREATE TABLE app_key (
                app_id \(integer) NOT NULL REFERENCES app (id),
                key \(text) NOT NULL,
                added_at \(integer) NOT NULL,
                registrations \(integer) NOT NULL DEFAULT 0,
                last_at \(integer),
                PRIMARY KEY (app_id, key)
            \(keyedEnd)
            """,
            "CREATE INDEX app_key_value ON app_key (key)",
        ]
    }
}
