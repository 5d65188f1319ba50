extension Schema {
    /// What the migration "work changes" adds: one row that says whether another process changed what is to be sent of
    /// existing parts (``WorkChange``). Until the first change there is no row.
    static let workChange = """
        CREATE TABLE work_change (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            number INTEGER NOT NULL
        ) STRICT;
        """
}

extension PostgreSQLSchema {
    /// See ``Schema/workChange``.
    static let workChange = [
        """
        CREATE TABLE work_change (
            "only" BIGINT PRIMARY KEY CHECK ("only" = 1),
            number BIGINT NOT NULL
        )
        """
    ]
}
