package import PushModel

extension DeliveryReader {
    /// How many messages of the delivery are in none of its parts, so that its log cannot name them; below 0:
    /// some are in several.
    package func missing(of id: DeliveryID) throws(StoreError) -> Int64 {
        // Whatever damaged rows add up to is no error.
        let missing = try connection.read("count a delivery's messages", of: id) { db in
            try db.value(
                Double.self,
                sql: """
                    SELECT last_ordinal - coalesce((
                        SELECT sum(CAST(p.count AS DOUBLE PRECISION)) FROM part p JOIN part_progress q ON q.part_id = p.id
                        WHERE p.delivery_id = d.id), 0.0)
                    FROM delivery d WHERE d.id = ?1
                    """,
                arguments: [id.rawValue])
        }
        return Int64(exactly: (missing ?? 0).rounded()) ?? .max
    }
}
