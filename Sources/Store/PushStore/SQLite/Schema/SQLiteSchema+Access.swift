extension SQLiteSchema {
    /// Tokens of the API, of which only digests are kept, and who changed what.
    static let access = """
        CREATE TABLE access_token (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            digest BLOB NOT NULL,
            scopes TEXT NOT NULL,
            created_ms INTEGER NOT NULL,
            revoked_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX access_token_name ON access_token (name) WHERE revoked_ms IS NULL;
        CREATE UNIQUE INDEX access_token_digest ON access_token (digest);
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at_ms INTEGER NOT NULL,
            who TEXT NOT NULL,
            action TEXT NOT NULL,
            what TEXT NOT NULL
        ) STRICT;
        """
}
