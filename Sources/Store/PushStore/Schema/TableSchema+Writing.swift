extension TableSchema {
    /// `writer` has a row for each kind of process that writes groups, with the number of its last group. A
    /// delivery in `damaged_delivery` is held: its own row may be what is damaged, so the note stands apart.
    /// `expires` is 0 where the end of its validity is what could not be written; `restored` says that a
    /// backup was restored, and nothing is damaged.
    var writing: [String] {
        [
            """
            CREATE TABLE writer (
                name \(text) PRIMARY KEY,
                last_group \(integer) NOT NULL
            \(keyedEnd)
            """,
            """
            CREATE TABLE damaged_delivery (
                delivery_id \(integer) PRIMARY KEY,
                why \(text) NOT NULL,
                since_ms \(integer) NOT NULL,
                expires \(integer) NOT NULL,
                restored \(integer) NOT NULL DEFAULT 0
            \(end)
            """,
        ]
    }
}
