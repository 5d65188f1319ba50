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

    /// What hosts that send beside each other need. Of a host: the number by which it has parts, into how many
    /// shares it divides quotas, up to when it has obeyed what was paused and stopped, and whether an operator
    /// wants it to send nothing. Of a part that a host has: whose it is; a part without a row is anybody's. No
    /// copy and no backup takes these along.
    static let leases = [
        """
        ALTER TABLE host ADD COLUMN term BIGINT NOT NULL DEFAULT 0, ADD COLUMN shares BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN obeyed_ms BIGINT NOT NULL DEFAULT 0, ADD COLUMN is_drained BIGINT NOT NULL DEFAULT 0
        """,
        """
        CREATE TABLE part_lease (
            part_id BIGINT PRIMARY KEY,
            term BIGINT NOT NULL
        )
        """,
    ]

    /// What a host has in hand, as it says with each word.
    static let hostFigures = [
        """
        ALTER TABLE host ADD COLUMN unrecorded BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN answers_per_second BIGINT NOT NULL DEFAULT 0
        """
    ]
}
