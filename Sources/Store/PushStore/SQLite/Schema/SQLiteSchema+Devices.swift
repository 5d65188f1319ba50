extension SQLiteSchema {
    /// What the twelfth migration adds: what devices say of themselves (`device`), and what they report of
    /// messages (`hit`).
    ///
    /// A device's `mark` stands for the id that its SDK sends and for its app; NULL: it sends none. A hit is of
    /// one message, by its number within the delivery: the first moment at which it was received and clicked,
    /// and how often each was reported; a click says that it was received, too. `hit_tally` counts the first
    /// ones; it stays when hits go with their messages.
    ///
    /// An integer as `_mId` is from now on the number encrypted (``IntegerMessageIDs``). What was submitted before
    /// keeps the number as it is, and apps get a revision of their own for what comes.
    static let devices = """
        CREATE TABLE device (
            subscription_id INTEGER PRIMARY KEY,
            mark INTEGER,
            name TEXT NOT NULL,
            model TEXT NOT NULL,
            brand TEXT NOT NULL,
            manufacturer TEXT NOT NULL,
            os_name TEXT NOT NULL,
            os_version TEXT NOT NULL,
            language TEXT NOT NULL
        ) STRICT;
        CREATE INDEX device_mark ON device (mark, subscription_id) WHERE mark IS NOT NULL;
        CREATE TABLE hit (
            delivery_id INTEGER NOT NULL,
            number INTEGER NOT NULL,
            received_ms INTEGER NOT NULL,
            receipts INTEGER NOT NULL,
            clicked_ms INTEGER,
            clicks INTEGER NOT NULL,
            PRIMARY KEY (delivery_id, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE hit_tally (
            delivery_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            minute INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (delivery_id, app_id, kind, minute)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE app ADD COLUMN parameters TEXT NOT NULL DEFAULT '[]';
        """ + encryptedNumbers.map { $0 + ";" }.joined(separator: "\n")

    /// The same on both engines: an app's current revision is the last one.
    static let encryptedNumbers = [
        "UPDATE app_revision SET message_id_format = 'number' WHERE message_id_format = 'integer'",
        """
        INSERT INTO app_revision (app_id, bundle_id, message_id_format, variables)
            SELECT r.app_id, r.bundle_id, 'integer', r.variables
            FROM app a JOIN app_revision r ON r.id = a.current_revision
            WHERE r.message_id_format = 'number' ORDER BY r.app_id
        """,
        """
        UPDATE app SET current_revision = (SELECT max(r.id) FROM app_revision r WHERE r.app_id = app.id)
            WHERE current_revision IN (SELECT r.id FROM app_revision r WHERE r.message_id_format = 'number')
        """,
        """
        DELETE FROM app_revision WHERE message_id_format = 'number'
            AND NOT EXISTS (SELECT 1 FROM delivery_app x WHERE x.revision_id = app_revision.id)
        """,
    ]
}
