internal import GRDB

/// The tables, and how a store of an earlier version becomes one of this.
///
/// Widths matter here. Every column that a success changes has the same width from the start, so an outcome
/// rewrites its row in place and never splits a page; a message has no index but the one for retries, because
/// a delivery's messages are found through the id ranges of its parts.
enum SQLiteSchema {
    /// "PMTA": tells a store from any other SQLite file.
    static let applicationID = 0x504D_5441
    /// "PMTc": a copy that is not finished. Earlier versions see no store in it.
    static let unfinishedCopyID = 0x504D_5463

    static var migrator: DatabaseMigrator { migrator(isCopy: false) }

    static func migrator(isCopy: Bool) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 spine") { db in
            try db.execute(sql: "PRAGMA application_id = \(isCopy ? unfinishedCopyID : applicationID)")
            try db.execute(sql: registry)
            try db.execute(sql: subscriptions)
            try db.execute(sql: deliveries)
            try db.execute(sql: messages)
        }
        migrator.registerMigration("2 quarantine") { db in try db.execute(sql: verdicts) }
        // Deleted apps keep their rows, and with them their service's.
        migrator.registerMigration("3 deleted services") { db in
            try db.execute(sql: "ALTER TABLE service ADD COLUMN removed_at INTEGER")
        }
        migrator.registerMigration("4 write service") { db in try db.execute(sql: writing) }
        migrator.registerMigration("5 app revisions") { db in try db.execute(sql: revisions) }
        migrator.registerMigration("6 removed subscriptions") { db in
            try db.execute(sql: removedSubscriptions)
        }
        migrator.registerMigration("7 preparation turns") { db in try db.execute(sql: preparationTurns) }
        migrator.registerMigration("8 plain plans") { db in try db.execute(sql: plainPlans) }
        migrator.registerMigration("9 parts") { db in
            try db.execute(sql: parts)
            try db.execute(sql: plainDeliveries)
        }
        migrator.registerMigration("10 held verdicts") { db in
            try db.execute(sql: heldVerdicts)
            try VerdictMigration(db: SQLiteSession(db)).run()
        }
        migrator.registerMigration("11 retention") { db in try db.execute(sql: retention) }
        migrator.registerMigration("12 devices") { db in try db.execute(sql: devices) }
        migrator.registerMigration("13 access") { db in try db.execute(sql: access) }
        migrator.registerMigration("14 single messages") { db in try db.execute(sql: singleMessages) }
        migrator.registerMigration("15 webhooks") { db in try db.execute(sql: webhooks) }
        migrator.registerMigration("16 stops") { db in try db.execute(sql: stops) }
        migrator.registerMigration("17 templates") { db in try db.execute(sql: templates) }
        migrator.registerMigration("18 calendar") { db in try db.execute(sql: calendar) }
        migrator.registerMigration("19 app icons") { db in try db.execute(sql: icons) }
        migrator.registerMigration("20 recipients") { db in try db.execute(sql: recipients) }
        migrator.registerMigration("21 work changes") { db in try db.execute(sql: workChange) }
        migrator.registerMigration("22 undeclared parameters, single attempts") { db in
            try db.execute(sql: undeclaredParameters)
            try db.execute(sql: singleAttempts)
        }
        migrator.registerMigration("23 trust evidence") { db in try db.execute(sql: trustEvidence) }
        for (index, step) in SharedSteps.all.enumerated() {
            let number = SharedSteps.firstOnSQLite + index
            migrator.registerMigration("\(number) \(step.name)") { db in
                for sql in step.sql(.sqlite) { try db.execute(sql: sql) }
            }
        }
        return migrator
    }

    /// AUTOINCREMENT wherever a number must not come back: an app's number is part of its subscriptions' ids.
    private static let registry = """
        CREATE TABLE instance (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            key_mark BLOB NOT NULL
        ) STRICT;
        CREATE TABLE service (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            label TEXT NOT NULL
        ) STRICT;
        CREATE TABLE app (
            id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id < 1 << 22),
            service_id INTEGER NOT NULL REFERENCES service (id),
            name TEXT NOT NULL,
            platform TEXT NOT NULL,
            integration_key TEXT NOT NULL,
            connector TEXT NOT NULL,
            environment TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            credential_identity TEXT NOT NULL,
            message_id_format TEXT NOT NULL,
            variables TEXT NOT NULL,
            sounds TEXT NOT NULL,
            last_sequence INTEGER NOT NULL DEFAULT 0,
            removed_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX app_name ON app (name) WHERE removed_at IS NULL;
        CREATE UNIQUE INDEX app_integration_key ON app (platform, environment, integration_key)
            WHERE removed_at IS NULL;
        CREATE TABLE credential (
            app_id INTEGER PRIMARY KEY REFERENCES app (id),
            sealed BLOB NOT NULL
        ) STRICT;
        """

    /// id = app << 40 | sequence. `token` is what ``StoredToken`` makes of it: hex as a blob of half its
    /// length.
    ///
    /// `user_key` is a table and not an index so that an import can fill it in its own order. Its rows are
    /// hints: each subscription with a user key has one, but one without its subscription may be left after a
    /// crash. Whoever looks a key up joins the subscription and compares.
    private static let subscriptions = """
        CREATE TABLE subscription (
            id INTEGER PRIMARY KEY,
            app_id INTEGER NOT NULL,
            token ANY NOT NULL,
            user_key TEXT NOT NULL,
            parameters TEXT,
            disabled INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX subscription_token ON subscription (app_id, token);
        CREATE TABLE user_key (
            app_id INTEGER NOT NULL,
            user_key TEXT NOT NULL,
            subscription_id INTEGER NOT NULL,
            PRIMARY KEY (app_id, user_key, subscription_id)
        ) STRICT, WITHOUT ROWID;
        """

    /// The content stands apart because the counters' row is rewritten with every batch of outcomes. Moments
    /// ending in `_ms` are milliseconds, others seconds.
    private static let deliveries = """
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id < 1 << 31),
            label TEXT NOT NULL,
            service_id INTEGER NOT NULL,
            apps TEXT NOT NULL,
            target TEXT NOT NULL,
            target_parameters TEXT,
            start_at INTEGER,
            validity INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            rate INTEGER NOT NULL,
            retry_count INTEGER,
            retry_period INTEGER,
            tracking INTEGER NOT NULL,
            created_ms INTEGER NOT NULL,
            started_ms INTEGER,
            finished_ms INTEGER,
            state TEXT NOT NULL,
            targeted INTEGER NOT NULL DEFAULT 0,
            excluded INTEGER NOT NULL DEFAULT 0 CHECK (excluded >= 0),
            pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
            retrying INTEGER NOT NULL DEFAULT 0 CHECK (retrying >= 0),
            sent INTEGER NOT NULL DEFAULT 0 CHECK (sent >= 0),
            failed INTEGER NOT NULL DEFAULT 0 CHECK (failed >= 0),
            cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
            prepared INTEGER NOT NULL DEFAULT 0,
            app_cursor INTEGER NOT NULL DEFAULT 0,
            page_cursor INTEGER NOT NULL DEFAULT 0,
            value_cursor INTEGER NOT NULL DEFAULT 0,
            subscription_cursor INTEGER NOT NULL DEFAULT 0,
            last_ordinal INTEGER NOT NULL DEFAULT 0,
            expiry_cursor INTEGER NOT NULL DEFAULT 0,
            CHECK (targeted = pending + retrying + sent + failed + cancelled)
        ) STRICT;
        CREATE INDEX delivery_live ON delivery (expires_at)
            WHERE state IN ('startPending', 'preparing', 'inProgress', 'paused');
        CREATE TABLE delivery_content (
            delivery_id INTEGER PRIMARY KEY REFERENCES delivery (id),
            content BLOB NOT NULL
        ) STRICT;
        CREATE TABLE delivery_target (
            delivery_id INTEGER NOT NULL REFERENCES delivery (id),
            page INTEGER NOT NULL,
            listed TEXT NOT NULL,
            PRIMARY KEY (delivery_id, page)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE part (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            delivery_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            first_id INTEGER NOT NULL,
            last_id INTEGER NOT NULL,
            first_ordinal INTEGER NOT NULL,
            open INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX part_of_delivery ON part (delivery_id, last_id);
        CREATE INDEX part_open ON part (open) WHERE open = 1;
        """

    private static let messages = """
        CREATE TABLE message (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            delivery_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            subscription_id INTEGER NOT NULL,
            state INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            due_at INTEGER,
            failure_type INTEGER,
            failure_reason INTEGER,
            provider_reason TEXT,
            provider_id TEXT
        ) STRICT;
        CREATE INDEX message_due ON message (app_id, due_at, id) WHERE state = 3;
        """
}
