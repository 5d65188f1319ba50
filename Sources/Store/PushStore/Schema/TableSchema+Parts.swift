extension TableSchema {
    /// A part carries its messages and has two rows. The first row never changes: the part's number is that
    /// of its first message, and `content` refers to the contents of single messages; 0 is the delivery's own
    /// content. The second row changes: it contains the states as runs, and columns for the indexes.
    /// `held_until` is the time until which pending messages are held back; NULL if they may be sent.
    /// `has_pending` is 0 for a part that is held back, so that the search for parts with pending messages
    /// does not find it.
    ///
    /// A note is a row for details that do not fit into a run. `tally` contains the number of messages in
    /// each state; pending messages have no row (``TallyTable``).
    var parts: [String] {
        [
            """
            CREATE TABLE part (
                id \(integer) PRIMARY KEY,
                delivery_id \(integer) NOT NULL,
                app_id \(integer) NOT NULL,
                first_number \(integer) NOT NULL,
                count \(integer) NOT NULL,
                members \(bytes) NOT NULL,
                content \(integer) NOT NULL DEFAULT 0
            \(end)
            """,
            "CREATE INDEX part_of_delivery ON part (delivery_id, id)",
            """
            CREATE TABLE part_progress (
                part_id \(integer) PRIMARY KEY,
                delivery_id \(integer) NOT NULL,
                app_id \(integer) NOT NULL,
                states \(bytes) NOT NULL,
                waiting \(integer) NOT NULL,
                next_due \(integer),
                is_open \(integer) NOT NULL,
                has_pending \(integer) NOT NULL,
                deadline \(integer) NOT NULL,
                generation \(integer) NOT NULL,
                revision \(integer) NOT NULL,
                held_until \(integer)
            \(end)
            """,
            """
            CREATE INDEX part_pending ON part_progress (\(leading("has_pending"))part_id) WHERE \
            has_pending = 1
            """,
            """
            CREATE INDEX part_waiting ON part_progress (\(leading("is_open"))delivery_id, part_id)
                WHERE is_open = 1
            """,
            "CREATE INDEX part_deadline ON part_progress (\(leading("is_open"))deadline) WHERE is_open = 1",
            "CREATE INDEX part_due ON part_progress (app_id, next_due, part_id) WHERE next_due IS NOT NULL",
            "CREATE INDEX part_held ON part_progress (held_until, part_id) WHERE held_until IS NOT NULL",
            """
            CREATE TABLE part_note (
                part_id \(integer) NOT NULL,
                message_index \(integer) NOT NULL,
                attempts \(integer) NOT NULL,
                due_at \(integer),
                provider_id \(text),
                PRIMARY KEY (part_id, message_index)
            \(keyedEnd)
            """,
            """
            CREATE TABLE cause (
                delivery_id \(integer) NOT NULL,
                code \(integer) NOT NULL,
                failure_type \(integer),
                failure_reason \(integer),
                word \(text) NOT NULL,
                PRIMARY KEY (delivery_id, code)
            \(keyedEnd)
            """,
            """
            CREATE TABLE tally (
                delivery_id \(integer) NOT NULL,
                app_id \(integer) NOT NULL,
                state \(integer) NOT NULL,
                cause \(integer) NOT NULL,
                minute \(integer) NOT NULL,
                count \(integer) NOT NULL,
                PRIMARY KEY (delivery_id, app_id, state, cause, minute)
            \(keyedEnd)
            """,
        ]
    }
}
