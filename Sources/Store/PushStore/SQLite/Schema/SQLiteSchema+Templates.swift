extension SQLiteSchema {
    /// What the seventeenth migration adds: contents by name, a row for each version that is kept, and of
    /// which template and version a delivery was made, NULL of all others.
    static let templates = """
        CREATE TABLE template (
            service_id INTEGER NOT NULL,
            name TEXT NOT NULL,
            version INTEGER NOT NULL,
            body BLOB NOT NULL,
            created_ms INTEGER NOT NULL,
            PRIMARY KEY (service_id, name, version)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE delivery ADD COLUMN template TEXT;
        ALTER TABLE delivery ADD COLUMN template_version INTEGER;
        """
}
