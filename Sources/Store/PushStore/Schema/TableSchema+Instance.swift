extension TableSchema {
    /// Rows of the store as a whole. `key_mark` distinguishes the instance's key from others. `last_message`
    /// is the number of the last message. `work_change` has a row after the first change to the set of
    /// existing parts that may be sent. From this row, a master learns of such changes by other processes
    /// (``WorkChange``). A row of `backup` means that this store is a backup (``BackupMark``).
    var instance: [String] {
        [
            """
            CREATE TABLE instance (
                \(single),
                key_mark \(bytes) NOT NULL
            \(end)
            """,
            """
            CREATE TABLE numbering (
                \(single),
                last_message \(integer) NOT NULL
            \(end)
            """,
            #"INSERT INTO numbering ("only", last_message) VALUES (1, 0)"#,
            """
            CREATE TABLE work_change (
                \(single),
                number \(integer) NOT NULL
            \(end)
            """,
            """
            CREATE TABLE backup (
                \(single),
                taken_ms \(integer) NOT NULL
            \(end)
            """,
        ]
    }
}
