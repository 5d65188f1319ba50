internal import PushModel

extension TableSchema {
    /// Content and targets are stored separately, because a delivery's row is rewritten as the delivery
    /// proceeds.
    ///
    /// Columns of a delivery: `retention_days` is the delivery's own number of days, or
    /// ``DeliveryRow/retentionOfSetting``. `removed_ms` is the time since which its messages count as
    /// removed; `is_removing` states whether rows of these messages are left. `open_until` is set for a
    /// delivery that single messages join: from that time on, no more messages join it. It is NULL for all
    /// other deliveries. `stop_ms` is the time at which an operator stopped the delivery. As long as any of
    /// its messages waits, a stopped delivery is stored as a paused one, so that searches for something to
    /// send skip it (``DeliveryStop``). `template` and its version are those from which the delivery was
    /// created. `calendar` defines when each recipient of the target receives its message, as JSON of a
    /// ``DeliveryCalendar``; NULL means that all receive it at the delivery's start.
    ///
    /// Finding the next delivery to prepare takes the same time however many deliveries have not ended: one
    /// index contains those that may begin, by priority and turn, and another contains those that wait for
    /// their start, by start time.
    ///
    /// `variables` contains the values that a target supplies for the recipients that it lists
    /// (``VariableBlock``; NULL means none). Code that deletes deliveries must delete their rows in
    /// `delivery_app` and call ``AppRevision/deleteUnused(_:_:)``.
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
            """
            CREATE INDEX delivery_scheduled ON delivery (priority, start_at) WHERE \
            \(DeliveryRow.isScheduled)
            """,
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
