extension SQLiteSchema {
    /// What the sixteenth migration adds: `stop_ms` of a delivery is when an operator stopped it, NULL of all
    /// others. Until nothing waits any more such a delivery lies in the store as one that is paused, so that
    /// whoever looks for something to send passes it over (``DeliveryStop``).
    static let stops = "ALTER TABLE delivery ADD COLUMN stop_ms INTEGER"
}
