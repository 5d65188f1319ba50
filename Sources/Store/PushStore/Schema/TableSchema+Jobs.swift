extension TableSchema {
    /// Operations with many steps: see ``JobRow``.
    var jobs: [String] {
        [
            """
            CREATE TABLE job (
                id \(number),
                operation \(text) NOT NULL,
                request \(text),
                caller \(text) NOT NULL,
                state \(integer) NOT NULL,
                progress \(text),
                result \(text),
                errors \(text),
                is_cancelled \(integer) NOT NULL,
                created_ms \(integer) NOT NULL,
                updated_ms \(integer) NOT NULL,
                ended_ms \(integer)
            \(end)
            """,
            "CREATE INDEX job_open ON job (updated_ms) WHERE ended_ms IS NULL",
            "CREATE INDEX job_ended ON job (ended_ms) WHERE ended_ms IS NOT NULL",
        ]
    }
}
