extension TableSchema {
    /// What devices report about themselves (`device`) and about messages (`hit`).
    ///
    /// A device's `mark` represents its app and the id that its SDK sends; NULL if the SDK sends no id. A hit
    /// belongs to one message, identified by its number within the delivery. It contains the times at which
    /// the message was first received and first clicked, and the number of reports of each kind. A click also
    /// means that the message was received. `hit_tally` counts first reports by minute, and repeated reports
    /// (``HitFigures/Kind``); it stays when hits are removed with their messages.
    ///
    /// `undeclared_parameter` contains the names of parameters with which devices registered although their
    /// app does not declare them, with the number of registrations and the time of the last one. The empty
    /// name represents all names beyond the limit (``UndeclaredParameters``).
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

    /// The time of each subscriber's last activity according to reports: see ``ActivityWriter``. Subscribers
    /// without such reports have no row.
    var activity: [String] {
        [
            """
            CREATE TABLE activity (
                subscription_id \(integer) PRIMARY KEY,
                active_at \(integer) NOT NULL
            \(end)
            """
        ]
    }
}
