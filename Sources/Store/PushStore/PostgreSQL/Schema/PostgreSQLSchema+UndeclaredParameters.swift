extension PostgreSQLSchema {
    /// See ``SQLiteSchema/undeclaredParameters``.
    static let undeclaredParameters = [
        """
        CREATE TABLE undeclared_parameter (
            app_id BIGINT NOT NULL,
            name \(text) NOT NULL,
            registrations BIGINT NOT NULL,
            last_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, name)
        )
        """
    ]
}
