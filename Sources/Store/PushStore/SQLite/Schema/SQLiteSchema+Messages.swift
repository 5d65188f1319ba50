extension SQLiteSchema {
    /// What the fourteenth migration adds: messages that were submitted one by one.
    ///
    /// They join an open delivery: `open_until` of its row is the moment at which it is closed for new ones,
    /// NULL of all others. A part of it names what its messages say; 0 is the delivery's own content. A content
    /// has the number of the first message that said it, so that it never comes back. `message_revision` says
    /// what an app that was then in that revision gives to its contents, in one place for all of them.
    /// A row of `idempotency` is a request that was accepted, and `messages` the answer to it: an
    /// ``AcceptedMessage``, or what ``DeliveryIdempotency`` keeps of a delivery, whose `subscription_id` is 0.
    static let singleMessages = """
        ALTER TABLE delivery ADD COLUMN open_until INTEGER;
        CREATE INDEX delivery_open ON delivery (open_until, service_id, priority) WHERE \(DeliveryRow.isOpen);
        ALTER TABLE part ADD COLUMN content INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE message_content (
            id INTEGER PRIMARY KEY,
            delivery_id INTEGER NOT NULL,
            revision_id INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            digest BLOB NOT NULL,
            content BLOB NOT NULL
        ) STRICT;
        CREATE INDEX message_content_key ON message_content (delivery_id, revision_id, expires_at, digest);
        CREATE TABLE message_revision (
            delivery_id INTEGER NOT NULL REFERENCES delivery (id),
            revision_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL REFERENCES app (id),
            bound_id INTEGER NOT NULL REFERENCES app_revision (id),
            PRIMARY KEY (delivery_id, revision_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX message_revision_bound ON message_revision (bound_id);
        CREATE TABLE idempotency (
            scope TEXT NOT NULL,
            key TEXT NOT NULL,
            body BLOB NOT NULL,
            messages BLOB NOT NULL,
            subscription_id INTEGER NOT NULL,
            accepted_at INTEGER NOT NULL,
            PRIMARY KEY (scope, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_time ON idempotency (accepted_at);
        CREATE INDEX idempotency_subscription ON idempotency (subscription_id);
        """

    /// Contents of messages that are sent now or never: each has one attempt.
    static let singleAttempts =
        "ALTER TABLE message_content ADD COLUMN is_now_or_never INTEGER NOT NULL DEFAULT 0"
}
