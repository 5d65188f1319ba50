extension SQLiteSchema {
    /// The names of parameters that devices registered with although their app does not declare them, with the number
    /// of registrations and the time of the last one. The empty name stands for all names beyond the limit
    /// (``UndeclaredParameters``).
    static let undeclaredParameters = """
        CREATE TABLE undeclared_parameter (
            app_id INTEGER NOT NULL,
            name TEXT NOT NULL,
            registrations INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            PRIMARY KEY (app_id, name)
        ) STRICT, WITHOUT ROWID;
        """
}
