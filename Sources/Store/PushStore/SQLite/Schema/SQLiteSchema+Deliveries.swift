extension SQLiteSchema {
    /// What the fifth migration adds: a delivery keeps what its apps were when it was submitted
    /// (``AppRevision``).
    ///
    /// What an app gives to messages moves from its row into revisions, of which it names the current one.
    /// `delivery_app` binds; deliveries of an earlier version are bound to what their apps are at the
    /// migration. AUTOINCREMENT, because a submission compares the number that it was checked against.
    /// Whoever deletes deliveries deletes their rows of `delivery_app` and calls
    /// ``AppRevision/deleteUnused(_:_:)``.
    static let revisions = """
        CREATE TABLE app_revision (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app_id INTEGER NOT NULL REFERENCES app (id),
            bundle_id TEXT NOT NULL,
            message_id_format TEXT NOT NULL,
            variables TEXT NOT NULL
        ) STRICT;
        CREATE TABLE delivery_app (
            delivery_id INTEGER NOT NULL REFERENCES delivery (id),
            app_id INTEGER NOT NULL REFERENCES app (id),
            revision_id INTEGER NOT NULL REFERENCES app_revision (id),
            PRIMARY KEY (delivery_id, app_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX delivery_app_revision ON delivery_app (revision_id);
        INSERT INTO app_revision (app_id, bundle_id, message_id_format, variables)
            SELECT id, bundle_id, message_id_format, variables FROM app ORDER BY id;
        ALTER TABLE app ADD COLUMN current_revision INTEGER REFERENCES app_revision (id);
        UPDATE app SET current_revision = (SELECT r.id FROM app_revision r WHERE r.app_id = app.id);
        INSERT INTO delivery_app (delivery_id, app_id, revision_id)
            SELECT DISTINCT d.id, r.app_id, r.id
            FROM delivery d JOIN json_each(CASE WHEN json_valid(d.apps) THEN d.apps ELSE '[]' END) AS named
                JOIN app_revision r ON r.app_id = named.value;
        ALTER TABLE app DROP COLUMN bundle_id;
        ALTER TABLE app DROP COLUMN message_id_format;
        ALTER TABLE app DROP COLUMN variables;
        """

    /// What the sixth migration adds: a subscription that was removed leaves its user key, so that logs of
    /// what was sent to it keep it until they go themselves. Subscription numbers are never used again
    /// (`app.last_sequence`).
    static let removedSubscriptions = """
        CREATE TABLE removed_subscription (
            id INTEGER PRIMARY KEY,
            user_key TEXT NOT NULL,
            removed_at INTEGER NOT NULL
        ) STRICT;
        """

    /// What the seventh migration adds: the next delivery to prepare is found at once, however many have not
    /// ended. Those that may begin stand in one index by priority and turn; those that wait for their start
    /// in another, by that.
    static let preparationTurns = """
        CREATE INDEX delivery_to_prepare ON delivery (priority, id) WHERE \(DeliveryRow.isToPrepare);
        CREATE INDEX delivery_scheduled ON delivery (priority, start_at) WHERE \(DeliveryRow.isScheduled);
        """
}
