package import PushModel

/// A delivery that is held because some of its rows cannot be written or read.
package struct DamagedDelivery: Equatable, Sendable {
    package var delivery: DeliveryID
    package var why: String
    package var since: WallMoment
    /// Whether nothing is damaged: a backup was restored, and an operator must release the delivery.
    package var isRestored: Bool
}

/// A delivery that has not ended although none of its messages waits, with the properties that determine the
/// order of the search.
package struct StrandedDelivery: Equatable, Sendable {
    /// In seconds.
    var expiresAt: Int64
    package var delivery: DeliveryID
}

/// Holds deliveries whose rows are damaged, and releases them.
///
/// **Promises.** While a delivery is held, nothing of it is prepared or selected for sending. Its validity
/// continues, unless the end of the validity is what could not be written. The note of the hold is separate
/// from the delivery's rows, and does not change them.
package struct DeliveryRepair: Sendable {
    let reader: Connection
    let writer: Connection

    /// Holds a delivery. The first reason is kept. The end of the validity is given up as soon as one call
    /// requests this.
    /// - Returns: Whether the delivery was not held before.
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

    /// Returns at most ``strandedPerStep`` deliveries that have no waiting messages, have not ended and are
    /// not held. No answer will arrive that could end them.
    /// - Parameter after: The last delivery of the previous page.
    package func stranded(after: StrandedDelivery? = nil) throws(StoreError) -> [StrandedDelivery] {
        try reader.read("look for damage") { db in
            try db.rows(
                sql: HotSQL.stranded,
                arguments: [after?.expiresAt ?? .min, after?.delivery.rawValue ?? 0, Self.strandedPerStep]
            ).map { StrandedDelivery(expiresAt: try $0[0], delivery: DeliveryID(rawValue: try $0[1])) }
        }
    }

    /// Ends the deliveries that are complete, and holds those with missing messages.
    /// - Returns: The deliveries that it ended.
    package func settle(_ stranded: [StrandedDelivery], at now: WallMoment) throws(StoreError) -> [DeliveryID]
    {
        try writer.write("end or hold idle deliveries") { db in
            try stranded.map(\.delivery).filter { try DeliveryEnd.finishIfDone($0, at: now, db) }
        }
    }

    package static let strandedPerStep = 500

    /// Returns the held deliveries that have not ended, the oldest first, at most 5 000.
    package func held() throws(StoreError) -> [DamagedDelivery] {
        try reader.read("list damaged deliveries") { db in
            try db.rows(
                sql: "\(Self.selection) ORDER BY h.since_ms, h.delivery_id LIMIT ?1",
                arguments: [Connection.maximumRows]
            ).map(Self.damaged)
        }
    }

    /// Returns the hold of a delivery that has not ended; `nil` if it is not held.
    package func hold(of delivery: DeliveryID) throws(StoreError) -> DamagedDelivery? {
        try reader.read("look for damage", of: delivery) { db in
            try db.rows(sql: "\(Self.selection) AND h.delivery_id = ?1", arguments: [delivery.rawValue])
                .first.map(Self.damaged)
        }
    }

    private static let selection = """
        SELECT h.delivery_id, h.why, h.since_ms, h.restored
        FROM damaged_delivery h LEFT JOIN delivery d ON d.id = h.delivery_id
        WHERE coalesce(d.state, '') NOT IN ('finished', 'failed', 'stopped')
        """

    private static func damaged(_ row: Row) throws -> DamagedDelivery {
        DamagedDelivery(
            delivery: DeliveryID(rawValue: try row["delivery_id"]), why: try row["why"],
            since: WallMoment(millisecondsSince1970: try row["since_ms"]),
            isRestored: try row["restored"])
    }
}
