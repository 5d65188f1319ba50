extension PostgreSQLSchema {
    /// See ``SQLiteSchema/templates``.
    static let templates = [
        """
        CREATE TABLE template (
            service_id BIGINT NOT NULL,
            name \(text) NOT NULL,
            version BIGINT NOT NULL,
            body BYTEA NOT NULL,
            created_ms BIGINT NOT NULL,
            PRIMARY KEY (service_id, name, version)
        )
        """
    ]

    /// Of which template a delivery was made.
    static let templateColumns = [
        "ALTER TABLE delivery ADD COLUMN template \(text), ADD COLUMN template_version BIGINT"
    ]
}
