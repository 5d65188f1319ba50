extension TableSchema {
    /// Lists of recipients that are stored separately from their delivery (``RecipientLists``), and the
    /// variables of the recipients of a part (``PartVariables``).
    var recipients: [String] {
        [
            """
            CREATE TABLE part_variables (
                part_id \(integer) NOT NULL,
                first_index \(integer) NOT NULL,
                count \(integer) NOT NULL,
                first_subscription \(integer) NOT NULL,
                last_subscription \(integer) NOT NULL,
                variables \(bytes) NOT NULL,
                PRIMARY KEY (part_id, first_index)
            \(end)
            """,
            "CREATE INDEX part_variables_span ON part_variables (first_subscription, last_subscription)",
            """
            CREATE TABLE recipient_list (
                id \(number),
                delivery_id \(integer),
                touched_ms \(integer) NOT NULL
            \(end)
            """,
            """
            CREATE TABLE recipient_page (
                list_id \(integer) NOT NULL,
                page \(integer) NOT NULL,
                listed \(text) NOT NULL,
                variables \(bytes),
                PRIMARY KEY (list_id, page)
            \(end)
            """,
        ]
    }
}
