extension TableSchema {
    /// Rows of the store as a whole. `key_mark` distinguishes the instance's key from others. `last_message`
    /// is the last message's number. `work_change` has a row once the first change occurs by which a master
    /// notices that another process has changed which of the existing parts may be sent (``WorkChange``). A
    /// row of `backup` means that this store is a backup (``BackupMark``).
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
