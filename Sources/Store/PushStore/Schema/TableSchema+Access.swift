extension TableSchema {
    /// Tokens of the API, kept as digests only, and a record of changes with their authors.
    var access: [String] {
        [
            """
            CREATE TABLE access_token (
                id \(number),
                name \(text) NOT NULL,
                digest \(bytes) NOT NULL,
                scopes \(text) NOT NULL,
                created_ms \(integer) NOT NULL,
                revoked_ms \(integer)
            \(end)
            """,
            "CREATE UNIQUE INDEX access_token_name ON access_token (name) WHERE revoked_ms IS NULL",
            "CREATE UNIQUE INDEX access_token_digest ON access_token (digest)",
            """
            CREATE TABLE audit (
                id \(number),
                at_ms \(integer) NOT NULL,
                who \(text) NOT NULL,
                action \(text) NOT NULL,
                what \(text) NOT NULL
            \(end)
            """,
        ]
    }
}
