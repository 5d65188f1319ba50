extension TableSchema {
    /// Messages that were submitted one by one. The messages join an open delivery, and a part of this
    /// delivery refers to their contents.
    ///
    /// A content has the number of the first message with that content, so the number is never used again. A
    /// content that is sent now or never (`is_now_or_never`) gets a single attempt. A row of
    /// `message_revision` applies to all contents that were accepted under one revision of an app; `bound_id`
    /// is the revision whose properties these contents now have. A row of `idempotency` is an accepted
    /// request, and `messages` is the response to it: an ``AcceptedMessage``, or the values that
    /// ``DeliveryIdempotency`` keeps of a delivery and ``DraftIdempotency`` of a draft. If the request
    /// submitted a delivery or created a draft, `subscription_id` is 0.
    var messages: [String] {
        [
            """
            CREATE TABLE message_content (
                id \(integer) PRIMARY KEY,
                delivery_id \(integer) NOT NULL,
                revision_id \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                digest \(bytes) NOT NULL,
                content \(bytes) NOT NULL,
                is_now_or_never \(integer) NOT NULL DEFAULT 0
            \(end)
            """,
            """
            CREATE INDEX message_content_key ON message_content (delivery_id, revision_id, expires_at, \
            digest)
            """,
            """
            CREATE TABLE message_revision (
                delivery_id \(integer) NOT NULL REFERENCES delivery (id),
                revision_id \(integer) NOT NULL,
                app_id \(integer) NOT NULL REFERENCES app (id),
                bound_id \(integer) NOT NULL REFERENCES app_revision (id),
                PRIMARY KEY (delivery_id, revision_id)
            \(keyedEnd)
            """,
            "CREATE INDEX message_revision_bound ON message_revision (bound_id)",
            """
            CREATE TABLE idempotency (
                scope \(text) NOT NULL,
                key \(text) NOT NULL,
                body \(bytes) NOT NULL,
                messages \(bytes) NOT NULL,
                subscription_id \(integer) NOT NULL,
                accepted_at \(integer) NOT NULL,
                PRIMARY KEY (scope, key)
            \(keyedEnd)
            """,
            "CREATE INDEX idempotency_time ON idempotency (accepted_at)",
            "CREATE INDEX idempotency_subscription ON idempotency (subscription_id)",
        ]
    }
}
