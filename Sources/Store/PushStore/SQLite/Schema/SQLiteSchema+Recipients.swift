extension SQLiteSchema {
    /// What the twentieth migration adds: what targets say of those that they list (``VariableBlock``; NULL:
    /// nothing), and what of that is for whom of a part (``PartVariables``); and lists of recipients that stand apart
    /// from the delivery that they are for (``RecipientLists``).
    static let recipients = """
        ALTER TABLE delivery_target ADD COLUMN variables BLOB;
        CREATE TABLE part_variables (
            part_id INTEGER NOT NULL,
            first_index INTEGER NOT NULL,
            count INTEGER NOT NULL,
            first_subscription INTEGER NOT NULL,
            last_subscription INTEGER NOT NULL,
            variables BLOB NOT NULL,
            PRIMARY KEY (part_id, first_index)
        ) STRICT;
        CREATE INDEX part_variables_span ON part_variables (first_subscription, last_subscription);
        CREATE TABLE recipient_list (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            delivery_id INTEGER,
            touched_ms INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE recipient_page (
            list_id INTEGER NOT NULL,
            page INTEGER NOT NULL,
            listed TEXT NOT NULL,
            variables BLOB,
            PRIMARY KEY (list_id, page)
        ) STRICT;
        """
}
