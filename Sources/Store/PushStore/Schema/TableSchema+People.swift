extension TableSchema {
    /// People who use the console, and their sessions: see ``Person``. `name_key` is the name by which people
    /// are compared. `services` has a line for each service. `password` is NULL until the person has set one.
    ///
    /// A session belongs to a `revision` of its person and has ended when the person has another revision.
    /// `ends_ms` is the time at which it ends if it is not used again. Links and sessions are kept as digests
    /// only.
    var people: [String] {
        [
            """
            CREATE TABLE person (
                id \(number),
                name \(text) NOT NULL,
                name_key \(text) NOT NULL,
                role \(text) NOT NULL,
                services \(text) NOT NULL,
                password \(text),
                created_ms \(integer) NOT NULL,
                login_ms \(integer),
                revision \(integer) NOT NULL
            \(end)
            """,
            "CREATE UNIQUE INDEX person_name ON person (name_key)",
            """
            CREATE TABLE person_link (
                person_id \(integer) PRIMARY KEY,
                digest \(bytes) NOT NULL,
                expires_ms \(integer) NOT NULL
            \(end)
            """,
            "CREATE UNIQUE INDEX person_link_digest ON person_link (digest)",
            """
            CREATE TABLE session (
                id \(number),
                digest \(bytes) NOT NULL,
                person_id \(integer) NOT NULL,
                revision \(integer) NOT NULL,
                created_ms \(integer) NOT NULL,
                used_ms \(integer) NOT NULL,
                checked_ms \(integer) NOT NULL,
                ends_ms \(integer) NOT NULL,
                address \(text) NOT NULL
            \(end)
            """,
            "CREATE UNIQUE INDEX session_digest ON session (digest)",
            "CREATE INDEX session_person ON session (person_id)",
            "CREATE INDEX session_end ON session (ends_ms)",
        ]
    }
}
