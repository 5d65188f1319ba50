extension TableSchema {
    /// Receivers of events, and the events to send to them.
    ///
    /// A record of `webhook_event` contains the events of one kind from one transaction. Its number is that
    /// of its last event. `number` of `webhook_outbox` is, for each host, the number of the host's last
    /// event; a store in a file has one host, 1. `bytes` is the total size of all records so far, so the
    /// difference between two records is the amount of data between them. A cursor is the number of a host's
    /// last event that a receiver has taken. `batch_end` is the number of the last event of the batch that
    /// follows the cursor, so that the batch is the same when it is sent again.
    var webhooks: [String] {
        [
            """
            CREATE TABLE webhook (
                id \(number),
                name \(text) NOT NULL,
                url \(text) NOT NULL,
                authorities \(text),
                kinds \(integer) NOT NULL,
                service_id \(integer),
                sealed \(bytes) NOT NULL,
                old_sealed \(bytes),
                old_until_ms \(integer),
                mark \(text) NOT NULL,
                disabled \(text),
                created_ms \(integer) NOT NULL,
                failures \(integer) NOT NULL DEFAULT 0,
                next_ms \(integer),
                answer \(text),
                answered_ms \(integer),
                taken \(integer) NOT NULL DEFAULT 0,
                refused \(integer) NOT NULL DEFAULT 0,
                told \(integer) NOT NULL DEFAULT 0,
                dropped \(integer) NOT NULL DEFAULT 0
            \(end)
            """,
            "CREATE UNIQUE INDEX webhook_name ON webhook (name)",
            """
            CREATE TABLE webhook_cursor (
                webhook_id \(integer) NOT NULL REFERENCES webhook (id),
                host \(integer) NOT NULL,
                number \(integer) NOT NULL,
                batch_end \(integer),
                PRIMARY KEY (webhook_id, host)
            \(keyedEnd)
            """,
            """
            CREATE TABLE webhook_outbox (
                host \(integer) PRIMARY KEY,
                number \(integer) NOT NULL,
                bytes \(integer) NOT NULL
            \(end)
            """,
            """
            CREATE TABLE webhook_event (
                host \(integer) NOT NULL,
                number \(integer) NOT NULL,
                bytes \(integer) NOT NULL,
                kind \(integer) NOT NULL,
                app_id \(integer) NOT NULL,
                delivery_id \(integer),
                recorded_ms \(integer) NOT NULL,
                count \(integer) NOT NULL,
                word \(text),
                source \(integer),
                events \(bytes) NOT NULL,
                PRIMARY KEY (host, number)
            \(keyedEnd)
            """,
        ]
    }
}
