internal import PushModel

extension SQLiteSchema {
    /// What the ninth migration adds: parts carry their messages. The rows of before stand aside until
    /// ``PartMigration`` has made parts of them.
    ///
    /// A part is two rows. What never changes: its number is that of its first message. What does: states in
    /// runs, and beside them what is to be found by an index. A note is a row for what a run cannot say.
    /// `tally` has how many messages stand where; pending ones have no row (``TallyTable``). A delivery's row
    /// loses its counters, which each group of outcomes rewrote.
    static let parts = """
        ALTER TABLE part RENAME TO old_part;
        ALTER TABLE message RENAME TO old_message;
        DROP INDEX part_of_delivery;
        DROP INDEX part_open;
        DROP INDEX message_due;
        CREATE TABLE part (
            id INTEGER PRIMARY KEY,
            delivery_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            first_number INTEGER NOT NULL,
            count INTEGER NOT NULL,
            members BLOB NOT NULL
        ) STRICT;
        CREATE INDEX part_of_delivery ON part (delivery_id, id);
        CREATE TABLE part_progress (
            part_id INTEGER PRIMARY KEY,
            delivery_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            states BLOB NOT NULL,
            waiting INTEGER NOT NULL,
            next_due INTEGER,
            is_open INTEGER NOT NULL,
            has_pending INTEGER NOT NULL,
            deadline INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            revision INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX part_pending ON part_progress (has_pending, part_id) WHERE has_pending = 1;
        CREATE INDEX part_waiting ON part_progress (is_open, delivery_id, part_id) WHERE is_open = 1;
        CREATE INDEX part_deadline ON part_progress (is_open, deadline) WHERE is_open = 1;
        CREATE INDEX part_due ON part_progress (app_id, next_due, part_id) WHERE next_due IS NOT NULL;
        CREATE TABLE part_note (
            part_id INTEGER NOT NULL,
            message_index INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER,
            provider_id TEXT,
            PRIMARY KEY (part_id, message_index)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE cause (
            delivery_id INTEGER NOT NULL,
            code INTEGER NOT NULL,
            failure_type INTEGER,
            failure_reason INTEGER,
            word TEXT NOT NULL,
            PRIMARY KEY (delivery_id, code)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE tally (
            delivery_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            state INTEGER NOT NULL,
            cause INTEGER NOT NULL,
            minute INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (delivery_id, app_id, state, cause, minute)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX removed_subscription_key ON removed_subscription (user_key);
        CREATE TABLE numbering (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            last_message INTEGER NOT NULL
        ) STRICT;
        INSERT INTO numbering (only, last_message) SELECT 1, coalesce(
            (SELECT seq FROM sqlite_sequence WHERE name = 'old_message'), 0);
        """

    /// The delivery's row without its counters.
    static let plainDeliveries = """
        CREATE TABLE new_delivery (
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
            prepared INTEGER NOT NULL DEFAULT 0,
            app_cursor INTEGER NOT NULL DEFAULT 0,
            page_cursor INTEGER NOT NULL DEFAULT 0,
            value_cursor INTEGER NOT NULL DEFAULT 0,
            subscription_cursor INTEGER NOT NULL DEFAULT 0,
            last_ordinal INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO new_delivery SELECT \(deliveryColumns) FROM delivery;
        UPDATE sqlite_sequence SET seq = (SELECT max(seq) FROM sqlite_sequence WHERE name IN ('delivery', 'new_delivery'))
            WHERE name = 'new_delivery';
        INSERT INTO sqlite_sequence (name, seq) SELECT 'new_delivery', seq FROM sqlite_sequence
            WHERE name = 'delivery' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'new_delivery');
        DROP TABLE delivery;
        ALTER TABLE new_delivery RENAME TO delivery;
        CREATE INDEX delivery_live ON delivery (expires_at)
            WHERE state IN ('startPending', 'preparing', 'inProgress', 'paused');
        \(preparationTurns)
        """

    private static let deliveryColumns = """
        id, label, service_id, apps, target, target_parameters, start_at, validity, expires_at, priority, rate,
        retry_count, retry_period, tracking, created_ms, started_ms, finished_ms, state, prepared, app_cursor,
        page_cursor, value_cursor, subscription_cursor, last_ordinal
        """
}
