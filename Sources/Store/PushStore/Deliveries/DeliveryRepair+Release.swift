package import PushModel

/// Deliveries that are on hold because a backup was restored (``BackupMark``).
extension DeliveryRepair {
    /// Releases a delivery.
    /// - Returns: Whether the delivery was on hold because a backup was restored.
    package func release(_ delivery: DeliveryID) throws(StoreError) -> Bool {
        try writer.write("release a delivery") { db in
            let released = try db.execute(
                sql: "DELETE FROM damaged_delivery WHERE delivery_id = ?1 AND restored = 1",
                arguments: [delivery.rawValue])
            if released > 0 { try WorkChange.note(db) }
            return released == 1
        }
    }

    /// Releases as many deliveries as fit into one transaction.
    /// - Returns: The number of released deliveries; 0 if none was left.
    package func releaseSome() throws(StoreError) -> Int {
        try writer.write("release deliveries") { db in
            let released = try db.execute(
                sql: """
                    DELETE FROM damaged_delivery WHERE delivery_id IN (
                        SELECT delivery_id FROM damaged_delivery WHERE restored = 1 ORDER BY delivery_id
                        LIMIT ?1)
                    """, arguments: [Self.releasedPerStep])
            if released > 0 { try WorkChange.note(db) }
            return released
        }
    }

    private static let releasedPerStep = 1_000
}
