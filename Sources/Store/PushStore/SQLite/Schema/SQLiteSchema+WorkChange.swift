extension SQLiteSchema {
    /// Adds one row, by which a master notices that another process has changed which of the existing parts may be
    /// sent (``WorkChange``). Until the first change there is no row.
    static let workChange = """
        CREATE TABLE work_change (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            number INTEGER NOT NULL
        ) STRICT;
        """
}

extension PostgreSQLSchema {
    /// See ``SQLiteSchema/workChange``.
    static let workChange = [
        """
        CREATE TABLE work_change (
            "only" BIGINT PRIMARY KEY CHECK ("only" = 1),
            number BIGINT NOT NULL
        )
        """
    ]
}
