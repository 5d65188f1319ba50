extension TableSchema {
    /// PostgreSQL alone has hosts: a store in a file has one master. No copy and no backup takes these tables
    /// along. Times are the server's.
    ///
    /// Who serves this database, and who stands by: a row of `host` each, with what the host has in hand, as
    /// it says with each word. `term` is the number by which it has parts, `shares` into how many it divides
    /// quotas, `obeyed_ms` up to when it has obeyed what was paused and stopped; `is_drained`: an operator
    /// wants it to send nothing. `part_lease` says whose a part is; a part without a row is anybody's.
    var hosts: [String] {
        onPostgreSQL(
            """
            CREATE TABLE host (
                id \(text) PRIMARY KEY,
                name \(text) NOT NULL,
                release \(text) NOT NULL,
                session \(text) NOT NULL,
                state \(text) NOT NULL,
                since_ms \(integer) NOT NULL,
                words \(integer) NOT NULL,
                word_ms \(integer) NOT NULL,
                lease_end_ms \(integer) NOT NULL,
                generation \(integer) NOT NULL,
                term \(integer) NOT NULL DEFAULT 0,
                shares \(integer) NOT NULL DEFAULT 0,
                obeyed_ms \(integer) NOT NULL DEFAULT 0,
                is_drained \(integer) NOT NULL DEFAULT 0,
                unrecorded \(integer) NOT NULL DEFAULT 0,
                answers_per_second \(integer) NOT NULL DEFAULT 0
            \(end)
            """,
            // One at most.
            "CREATE UNIQUE INDEX host_serving ON host (state) WHERE state = 'serving'",
            """
            CREATE TABLE part_lease (
                part_id \(integer) PRIMARY KEY,
                term \(integer) NOT NULL
            \(end)
            """)
    }
}
