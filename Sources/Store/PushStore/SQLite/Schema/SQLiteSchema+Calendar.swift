extension SQLiteSchema {
    /// What the eighteenth migration adds: how many messages a service's devices are sent at most
    /// (`frequency_cap`, as people write it: `3 in 7d`), NULL: as many as there are; when whom of a delivery's target gets it (`calendar`, JSON of a
    /// ``DeliveryCalendar``), NULL of all that go to everybody at their start; and until when a part's pending
    /// messages are held (`held_until`), NULL where they may go. Of a part that is held `has_pending` is 0: the
    /// search for parts passes over nothing.
    static let calendar = """
        ALTER TABLE delivery ADD COLUMN calendar TEXT;
        ALTER TABLE service ADD COLUMN frequency_cap TEXT;
        ALTER TABLE part_progress ADD COLUMN held_until INTEGER;
        CREATE INDEX part_held ON part_progress (held_until, part_id) WHERE held_until IS NOT NULL;
        """
}
