internal import PushModel

extension TableSchema {
    /// Content and targets stand apart, because a delivery's row is rewritten as it proceeds.
    ///
    /// Of a delivery: `retention_days` is its own number of days, or ``DeliveryRow/retentionOfSetting``;
    /// `removed_ms` says since when its messages count as removed, `is_removing` whether rows of them are
    /// left. `open_until` is the moment at which one that single messages join is closed for new ones, NULL
    /// of all others. `stop_ms` is when an operator stopped it: until nothing waits any more such a delivery
    /// lies in the store as one that is paused, so that whoever looks for something to send passes it over
    /// (``DeliveryStop``). `template` and its version are what it was made of. `calendar` is when whom of its
    /// target gets it, JSON of a ``DeliveryCalendar``; NULL: everybody at its start.
    ///
    /// The next delivery to prepare is found at once, however many have not ended: those that may begin stand
    /// in one index by priority and turn, those that wait for their start in another, by that.
    ///
    /// `variables` is what a target says of those that it lists (``VariableBlock``; NULL: nothing). Whoever
    /// deletes deliveries deletes their rows of `delivery_app` and calls ``AppRevision/deleteUnused(_:_:)``.
    var deliveries: [String] {
        [
            """
            CREATE TABLE delivery (
                id \(number) CHECK (id < CAST(1 AS BIGINT) << 31),
                label \(text) NOT NULL,
                service_id \(integer) NOT NULL,
                apps \(text) NOT NULL,
                target \(text) NOT NULL,
                target_parameters \(text),
                start_at \(integer),
                validity \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                priority \(integer) NOT NULL,
                rate \(integer) NOT NULL,
                retry_count \(integer),
                retry_period \(integer),
                tracking \(integer) NOT NULL,
                created_ms \(integer) NOT NULL,
                started_ms \(integer),
                finished_ms \(integer),
                state \(text) NOT NULL,
                prepared \(integer) NOT NULL DEFAULT 0,
                app_cursor \(integer) NOT NULL DEFAULT 0,
                page_cursor \(integer) NOT NULL DEFAULT 0,
                value_cursor \(integer) NOT NULL DEFAULT 0,
                subscription_cursor \(integer) NOT NULL DEFAULT 0,
                last_ordinal \(integer) NOT NULL DEFAULT 0,
                retention_days \(integer) NOT NULL DEFAULT \(DeliveryRow.retentionOfSetting),
                removed_ms \(integer),
                is_removing \(integer) NOT NULL DEFAULT 0,
                open_until \(integer),
                stop_ms \(integer),
                template \(text),
                template_version \(integer),
                calendar \(text)
            \(end)
            """,
            "CREATE INDEX delivery_live ON delivery (expires_at) WHERE \(DeliveryRow.isLive)",
            "CREATE INDEX delivery_to_prepare ON delivery (priority, id) WHERE \(DeliveryRow.isToPrepare)",
            "CREATE INDEX delivery_scheduled ON delivery (priority, start_at) WHERE \(DeliveryRow.isScheduled)",
            """
            CREATE INDEX delivery_ended ON delivery (retention_days, finished_ms)
                WHERE \(DeliveryRow.keepsMessages)
            """,
            "CREATE INDEX delivery_removing ON delivery (\(leading("is_removing"))id) WHERE is_removing = 1",
            """
            CREATE INDEX delivery_open ON delivery (open_until, service_id, priority)
                WHERE \(DeliveryRow.isOpen)
            """,
            """
            CREATE TABLE delivery_content (
                delivery_id \(integer) PRIMARY KEY REFERENCES delivery (id),
                content \(bytes) NOT NULL
            \(end)
            """,
            """
            CREATE TABLE delivery_target (
                delivery_id \(integer) NOT NULL REFERENCES delivery (id),
                page \(integer) NOT NULL,
                listed \(text) NOT NULL,
                variables \(bytes),
                PRIMARY KEY (delivery_id, page)
            \(keyedEnd)
            """,
            """
            CREATE TABLE delivery_app (
                delivery_id \(integer) NOT NULL REFERENCES delivery (id),
                app_id \(integer) NOT NULL REFERENCES app (id),
                revision_id \(integer) NOT NULL REFERENCES app_revision (id),
                PRIMARY KEY (delivery_id, app_id)
            \(keyedEnd)
            """,
            "CREATE INDEX delivery_app_revision ON delivery_app (revision_id)",
        ]
    }
}
