extension PostgreSQLSchema {
    /// See ``SQLiteSchema/recipients``.
    static let recipients = [
        """
        CREATE TABLE part_variables (
            part_id BIGINT NOT NULL,
            first_index BIGINT NOT NULL,
            count BIGINT NOT NULL,
            first_subscription BIGINT NOT NULL,
            last_subscription BIGINT NOT NULL,
            variables BYTEA NOT NULL,
            PRIMARY KEY (part_id, first_index)
        )
        """,
        "CREATE INDEX part_variables_span ON part_variables (first_subscription, last_subscription)",
        """
        CREATE TABLE recipient_list (
            id \(number),
            delivery_id BIGINT,
            touched_ms BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE recipient_page (
            list_id BIGINT NOT NULL,
            page BIGINT NOT NULL,
            listed \(text) NOT NULL,
            variables BYTEA,
            PRIMARY KEY (list_id, page)
        )
        """,
    ]

    static let recipientColumns = ["ALTER TABLE delivery_target ADD COLUMN variables BYTEA"]
}
