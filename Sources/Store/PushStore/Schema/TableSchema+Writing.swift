extension TableSchema {
    /// `writer` has a row for each kind of process that writes groups, with the number of its last group. A
    /// delivery in `damaged_delivery` is on hold. This fact is stored separately because the delivery's own
    /// row may be the damaged one. `expires` is 0 if the end of the delivery's validity could not be written.
    /// `restored` means that a backup was restored and nothing is damaged.
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
