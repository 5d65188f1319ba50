extension PostgreSQLSchema {
    /// See ``SQLiteSchema/access``.
    static let access = [
        """
        CREATE TABLE access_token (
            id \(number),
            name \(text) NOT NULL,
            digest BYTEA NOT NULL,
            scopes \(text) NOT NULL,
            created_ms BIGINT NOT NULL,
            revoked_ms BIGINT
        )
        """,
        "CREATE UNIQUE INDEX access_token_name ON access_token (name) WHERE revoked_ms IS NULL",
        "CREATE UNIQUE INDEX access_token_digest ON access_token (digest)",
        """
        CREATE TABLE audit (
            id \(number),
            at_ms BIGINT NOT NULL,
            who \(text) NOT NULL,
            action \(text) NOT NULL,
            what \(text) NOT NULL
        )
        """,
    ]
}
