extension PostgreSQLSchema {
    /// What version 19 adds. See ``SQLiteSchema/calendar``.
    static let calendar = [
        "ALTER TABLE delivery ADD COLUMN calendar \(text)",
        "ALTER TABLE service ADD COLUMN frequency_cap \(text)",
        "ALTER TABLE part_progress ADD COLUMN held_until BIGINT",
        heldParts,
    ]

    static let heldParts =
        "CREATE INDEX part_held ON part_progress (held_until, part_id) WHERE held_until IS NOT NULL"
}
