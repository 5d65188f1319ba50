extension PostgreSQLSchema {
    /// See ``SQLiteSchema/icons``.
    static let icons = [
        """
        CREATE TABLE app_icon (
            app_id BIGINT PRIMARY KEY REFERENCES app (id),
            width BIGINT NOT NULL,
            height BIGINT NOT NULL,
            image BYTEA NOT NULL
        )
        """
    ]

    /// What people call an app.
    static let appLabel = ["ALTER TABLE app ADD COLUMN label \(text) NOT NULL DEFAULT ''"]
}
