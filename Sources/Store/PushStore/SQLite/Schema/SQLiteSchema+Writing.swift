extension SQLiteSchema {
    /// What the fourth migration adds. `writer` has a row for each kind of process that writes groups, with
    /// the number of its last group. A delivery in `damaged_delivery` is held: its own row may be what is
    /// damaged, so the note stands apart. `expires` is 0 where the end of its validity is what could not be
    /// written.
    static let writing = """
        CREATE TABLE writer (
            name TEXT PRIMARY KEY,
            last_group INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE damaged_delivery (
            delivery_id INTEGER PRIMARY KEY,
            why TEXT NOT NULL,
            since_ms INTEGER NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT;
        """
}
