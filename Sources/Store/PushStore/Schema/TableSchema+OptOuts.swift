extension TableSchema {
    /// The opt-outs of persons on devices: see ``OptOuts``. `mark` represents a token, or the id that a
    /// device sends; `person` represents a user key. Neither the token nor the user key can be read from a
    /// row. `source` has the values of ``OptOutSource``.
    ///
    /// `unknown_key` contains the integration keys that devices sent and that no app has. The row with an
    /// empty platform and name represents all keys beyond the limit (``UnknownKeyCounts``).
    var optOuts: [String] {
        [
            """
            CREATE TABLE opt_out (
                app_id \(integer) NOT NULL,
                mark \(integer) NOT NULL,
                person \(integer) NOT NULL,
                since \(integer) NOT NULL,
                source \(integer) NOT NULL,
                PRIMARY KEY (app_id, mark, person)
            \(keyedEnd)
            """,
            "CREATE INDEX opt_out_person ON opt_out (person)",
            """
            CREATE TABLE unknown_key (
                platform \(text) NOT NULL,
                name \(text) NOT NULL,
                registrations \(integer) NOT NULL,
                first_at \(integer) NOT NULL,
                last_at \(integer) NOT NULL,
                PRIMARY KEY (platform, name)
            \(keyedEnd)
            """,
        ]
    }
}
