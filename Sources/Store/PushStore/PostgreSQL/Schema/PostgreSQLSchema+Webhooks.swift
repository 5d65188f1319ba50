extension PostgreSQLSchema {
    /// See ``SQLiteSchema/webhooks``.
    static let webhooks = [
        """
        CREATE TABLE webhook (
            id \(number),
            name \(text) NOT NULL,
            url \(text) NOT NULL,
            authorities \(text),
            kinds BIGINT NOT NULL,
            service_id BIGINT,
            sealed BYTEA NOT NULL,
            old_sealed BYTEA,
            old_until_ms BIGINT,
            mark \(text) NOT NULL,
            disabled \(text),
            created_ms BIGINT NOT NULL,
            failures BIGINT NOT NULL DEFAULT 0,
            next_ms BIGINT,
            answer \(text),
            answered_ms BIGINT,
            taken BIGINT NOT NULL DEFAULT 0,
            refused BIGINT NOT NULL DEFAULT 0,
            told BIGINT NOT NULL DEFAULT 0,
            dropped BIGINT NOT NULL DEFAULT 0
        )
        """,
        "CREATE UNIQUE INDEX webhook_name ON webhook (name)",
        """
        CREATE TABLE webhook_cursor (
            webhook_id BIGINT NOT NULL REFERENCES webhook (id),
            host BIGINT NOT NULL,
            number BIGINT NOT NULL,
            batch_end BIGINT,
            PRIMARY KEY (webhook_id, host)
        )
        """,
        """
        CREATE TABLE webhook_outbox (
            host BIGINT PRIMARY KEY,
            number BIGINT NOT NULL,
            bytes BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE webhook_event (
            host BIGINT NOT NULL,
            number BIGINT NOT NULL,
            bytes BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            app_id BIGINT NOT NULL,
            delivery_id BIGINT,
            recorded_ms BIGINT NOT NULL,
            count BIGINT NOT NULL,
            word \(text),
            source BIGINT,
            events BYTEA NOT NULL,
            PRIMARY KEY (host, number)
        )
        """,
    ]
}
