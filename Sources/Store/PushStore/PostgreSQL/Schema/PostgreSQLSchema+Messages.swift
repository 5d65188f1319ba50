/// What version 13 has: messages that were submitted one by one. See ``SQLiteSchema/singleMessages``.
extension PostgreSQLSchema {
    /// Of tables that were there before.
    static let messageColumns = [
        "ALTER TABLE delivery ADD COLUMN open_until BIGINT",
        "ALTER TABLE part ADD COLUMN content BIGINT NOT NULL DEFAULT 0",
    ]

    /// Version 15 of this release makes the table with the column.
    static let singleAttempts = [
        "ALTER TABLE message_content ADD COLUMN IF NOT EXISTS is_now_or_never BIGINT NOT NULL DEFAULT 0"
    ]

    static let messageTables = [
        "CREATE INDEX delivery_open ON delivery (open_until, service_id, priority) WHERE \(DeliveryRow.isOpen)",
        """
        CREATE TABLE message_content (
            id BIGINT PRIMARY KEY,
            delivery_id BIGINT NOT NULL,
            revision_id BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            digest BYTEA NOT NULL,
            content BYTEA NOT NULL,
            is_now_or_never BIGINT NOT NULL DEFAULT 0
        )
        """,
        """
        CREATE INDEX message_content_key ON message_content (delivery_id, revision_id, expires_at, digest)
        """,
        """
        CREATE TABLE message_revision (
            delivery_id BIGINT NOT NULL REFERENCES delivery (id),
            revision_id BIGINT NOT NULL,
            app_id BIGINT NOT NULL REFERENCES app (id),
            bound_id BIGINT NOT NULL REFERENCES app_revision (id),
            PRIMARY KEY (delivery_id, revision_id)
        )
        """,
        "CREATE INDEX message_revision_bound ON message_revision (bound_id)",
        """
        CREATE TABLE idempotency (
            scope \(text) NOT NULL,
            key \(text) NOT NULL,
            body BYTEA NOT NULL,
            messages BYTEA NOT NULL,
            subscription_id BIGINT NOT NULL,
            accepted_at BIGINT NOT NULL,
            PRIMARY KEY (scope, key)
        )
        """,
        "CREATE INDEX idempotency_time ON idempotency (accepted_at)",
        "CREATE INDEX idempotency_subscription ON idempotency (subscription_id)",
    ]
}
