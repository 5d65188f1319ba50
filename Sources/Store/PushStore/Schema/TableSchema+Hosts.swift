extension TableSchema {
    /// PostgreSQL only: a store in a file has one master and no hosts. Copies and backups do not include
    /// these tables. Times are those of the server.
    ///
    /// `host` has one row for each host that serves this database or stands by, with the host's current work,
    /// which the host updates in each report. `term` is the number under which the host has parts, `shares`
    /// the number of shares into which it divides quotas, and `obeyed_ms` the time up to which it has applied
    /// pauses and stops. `is_drained` means that an operator wants it to send nothing. `part_lease` states
    /// which host has a part; a part without a row is free.
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
            // At most one host serves.
            "CREATE UNIQUE INDEX host_serving ON host (state) WHERE state = 'serving'",
            """
            CREATE TABLE part_lease (
                part_id \(integer) PRIMARY KEY,
                term \(integer) NOT NULL
            \(end)
            """)
    }
}
