extension PostgreSQLSchema {
    /// Who serves this database, and who stands by: a row a host. A store in a file has one master, and no such
    /// table; no copy and no backup takes it along. Times are the server's.
    static let hosts = [
        """
        CREATE TABLE host (
            id \(text) PRIMARY KEY,
            name \(text) NOT NULL,
            release \(text) NOT NULL,
            session \(text) NOT NULL,
            state \(text) NOT NULL,
            since_ms BIGINT NOT NULL,
            words BIGINT NOT NULL,
            word_ms BIGINT NOT NULL,
            lease_end_ms BIGINT NOT NULL,
            generation BIGINT NOT NULL
        )
        """,
        // One at most.
        "CREATE UNIQUE INDEX host_serving ON host (state) WHERE state = 'serving'",
    ]
}
