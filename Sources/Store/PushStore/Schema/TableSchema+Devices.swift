extension TableSchema {
    /// What devices say of themselves (`device`), and what they report of messages (`hit`).
    ///
    /// A device's `mark` stands for the id that its SDK sends and for its app; NULL: it sends none. A hit is
    /// of one message, by its number within the delivery: the first moment at which it was received and
    /// clicked, and how often each was reported; a click says that it was received, too. `hit_tally` counts
    /// the first ones; it stays when hits go with their messages.
    ///
    /// `undeclared_parameter` has the names of parameters that devices registered with although their app
    /// does not declare them, with the number of registrations and the time of the last one. The empty name
    /// stands for all names beyond the limit (``UndeclaredParameters``).
    var devices: [String] {
        [
            """
            CREATE TABLE device (
                subscription_id \(integer) PRIMARY KEY,
                mark \(integer),
                name \(text) NOT NULL,
                model \(text) NOT NULL,
                brand \(text) NOT NULL,
                manufacturer \(text) NOT NULL,
                os_name \(text) NOT NULL,
                os_version \(text) NOT NULL,
                language \(text) NOT NULL
            \(end)
            """,
            "CREATE INDEX device_mark ON device (mark, subscription_id) WHERE mark IS NOT NULL",
            """
            CREATE TABLE hit (
                delivery_id \(integer) NOT NULL,
                number \(integer) NOT NULL,
                received_ms \(integer) NOT NULL,
                receipts \(integer) NOT NULL,
                clicked_ms \(integer),
                clicks \(integer) NOT NULL,
                PRIMARY KEY (delivery_id, number)
            \(keyedEnd)
            """,
            """
            CREATE TABLE hit_tally (
                delivery_id \(integer) NOT NULL,
                app_id \(integer) NOT NULL,
                kind \(integer) NOT NULL,
                minute \(integer) NOT NULL,
                count \(integer) NOT NULL,
                PRIMARY KEY (delivery_id, app_id, kind, minute)
            \(keyedEnd)
            """,
            """
            CREATE TABLE undeclared_parameter (
                app_id \(integer) NOT NULL,
                name \(text) NOT NULL,
                registrations \(integer) NOT NULL,
                last_at \(integer) NOT NULL,
                PRIMARY KEY (app_id, name)
            \(keyedEnd)
            """,
        ]
    }
}
