package import PushModel

/// A delivery that is held because rows of it cannot be written or read.
package struct DamagedDelivery: Equatable, Sendable {
    package var delivery: DeliveryID
    package var why: String
    package var since: WallMoment
}

/// Holds deliveries whose rows are damaged, and lets them go on.
///
/// **Promises.** Of a delivery that is held nothing is prepared or found to be sent. Its validity goes on, unless that
/// is what could not be written. The note of it stands apart from its rows, which it does not change.
package struct DeliveryRepair: Sendable {
    let reader: Connection
    let writer: Connection

    /// The first reason counts; the end of the validity is given up with the first call that says so.
    /// - Returns: whether it was not held before.
    @discardableResult
    package func hold(
        _ delivery: DeliveryID, because why: String, expires: Bool = true, at now: WallMoment
    ) throws(StoreError) -> Bool {
        try writer.write("hold a delivery") { db in
            let isNew =
                try db.execute(
                    sql: """
                        INSERT INTO damaged_delivery (delivery_id, why, since_ms, expires) VALUES (?1, ?2, ?3, ?4)
                        ON CONFLICT (delivery_id) DO NOTHING
                        """,
                    arguments: [delivery.rawValue, why, now.millisecondsSince1970, expires]) == 1
            if !isNew, !expires {
                try db.execute(
                    sql: "UPDATE damaged_delivery SET expires = 0 WHERE delivery_id = ?1",
                    arguments: [delivery.rawValue])
            }
            return isNew
        }
    }

    /// Those that are held and have not ended, oldest first, at most 5 000.
    package func held() throws(StoreError) -> [DamagedDelivery] {
        try reader.read("list damaged deliveries") { db in
            try db.rows(
                sql: """
                    SELECT h.delivery_id, h.why, h.since_ms
                    FROM damaged_delivery h LEFT JOIN delivery d ON d.id = h.delivery_id
                    WHERE coalesce(d.state, '') NOT IN ('finished', 'failed', 'stopped')
                    ORDER BY h.since_ms, h.delivery_id LIMIT ?1
                    """,
                arguments: [Connection.maximumRows]
            ).map {
                DamagedDelivery(
                    delivery: DeliveryID(rawValue: try $0["delivery_id"]), why: try $0["why"],
                    since: WallMoment(millisecondsSince1970: try $0["since_ms"]))
            }
        }
    }
}
