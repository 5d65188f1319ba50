package import PushModel

/// A delivery that is held because rows of it cannot be written or read.
package struct DamagedDelivery: Equatable, Sendable {
    package var delivery: DeliveryID
    package var why: String
    package var since: WallMoment
    /// Nothing is damaged: a backup was restored, and an operator is to release it.
    package var isRestored: Bool
}

/// A delivery of which nothing waits and that has not ended, in the order in which they are looked for.
package struct StrandedDelivery: Equatable, Sendable {
    /// In seconds.
    var expiresAt: Int64
    package var delivery: DeliveryID
}

/// Holds deliveries whose rows are damaged, and lets them go on.
///
/// **Promises.** Of a delivery that is held nothing is prepared or found to be sent. Its validity goes on,
/// unless that is what could not be written. The note of it stands apart from its rows, which it does not
/// change.
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
            let isNew = try DeliveryEnd.hold(delivery, because: why, expires: expires, at: now, db)
            if !isNew, !expires {
                try db.execute(
                    sql: "UPDATE damaged_delivery SET expires = 0 WHERE delivery_id = ?1",
                    arguments: [delivery.rawValue])
            }
            return isNew
        }
    }

    /// Deliveries of which nothing waits and that have neither ended nor are held: no answer will come that
    /// they could end with. At most ``strandedPerStep``.
    /// - Parameter after: the last delivery of the page before.
    package func stranded(after: StrandedDelivery? = nil) throws(StoreError) -> [StrandedDelivery] {
        try reader.read("look for damage") { db in
            try db.rows(
                sql: HotSQL.stranded,
                arguments: [after?.expiresAt ?? .min, after?.delivery.rawValue ?? 0, Self.strandedPerStep]
            ).map { StrandedDelivery(expiresAt: try $0[0], delivery: DeliveryID(rawValue: try $0[1])) }
        }
    }

    /// Ends those that have ended, and holds those of which messages are missing.
    /// - Returns: those that it ended.
    package func settle(_ stranded: [StrandedDelivery], at now: WallMoment) throws(StoreError) -> [DeliveryID]
    {
        try writer.write("hold what is damaged") { db in
            try stranded.map(\.delivery).filter { try DeliveryEnd.finishIfDone($0, at: now, db) }
        }
    }

    package static let strandedPerStep = 500

    /// Those that are held and have not ended, oldest first, at most 5 000.
    package func held() throws(StoreError) -> [DamagedDelivery] {
        try reader.read("list damaged deliveries") { db in
            try db.rows(
                sql: """
                    SELECT h.delivery_id, h.why, h.since_ms, h.restored
                    FROM damaged_delivery h LEFT JOIN delivery d ON d.id = h.delivery_id
                    WHERE coalesce(d.state, '') NOT IN ('finished', 'failed', 'stopped')
                    ORDER BY h.since_ms, h.delivery_id LIMIT ?1
                    """,
                arguments: [Connection.maximumRows]
            ).map {
                DamagedDelivery(
                    delivery: DeliveryID(rawValue: try $0["delivery_id"]), why: try $0["why"],
                    since: WallMoment(millisecondsSince1970: try $0["since_ms"]),
                    isRestored: try $0["restored"])
            }
        }
    }
}
