package import PushModel

extension DeliveryReader {
    /// Returns the number of the delivery's messages that are in none of its parts. The delivery's log cannot
    /// name these messages. If the number is negative, some messages are in several parts.
    package func missing(of id: DeliveryID) throws(StoreError) -> Int64 {
        // The sum is calculated in floating point, so that damaged rows cannot make it overflow.
        let missing = try connection.read("count a delivery's messages", of: id) { db in
            try db.value(
                Double.self,
                sql: """
                    SELECT last_ordinal - coalesce((
                        SELECT sum(CAST(p.count AS DOUBLE PRECISION)) FROM part p JOIN part_progress q ON
                        q.part_id = p.id
                        WHERE p.delivery_id = d.id), 0.0)
                    FROM delivery d WHERE d.id = ?1
                    """,
                arguments: [id.rawValue])
        }
        return Int64(exactly: (missing ?? 0).rounded()) ?? .max
    }
}
