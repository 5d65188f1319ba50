package import PushModel

/// A delivery that is on hold because some of its rows cannot be written or read, or because a backup was
/// restored.
package struct DamagedDelivery: Equatable, Sendable {
    package var delivery: DeliveryID
    package var why: String
    package var since: WallMoment
    /// Whether the delivery is on hold because a backup was restored. If so, an operator must release it.
    package var isRestored: Bool
}

/// A delivery that has not ended although none of its messages waits, with the properties by which the search
/// is ordered.
package struct StrandedDelivery: Equatable, Sendable {
    /// The end of the validity, in seconds since 1970.
    var expiresAt: Int64
    package var delivery: DeliveryID
}

/// Puts on hold the deliveries whose rows are damaged, and releases deliveries from hold.
///
/// **Promises.** While a delivery is on hold, none of its messages is prepared or selected for sending. Its
/// validity continues to run, unless the change that could not be written was the end of the delivery's
/// validity. The hold is recorded in a separate table, so the delivery's own rows are not changed.
package struct DeliveryRepair: Sendable {
    let reader: Connection
    let writer: Connection

    /// Puts a delivery on hold. If the delivery is already on hold, the earlier reason is kept. Once a call
    /// has passed `false` for `expires`, the delivery is no longer ended when its validity ends.
    /// - Returns: Whether the delivery was not on hold before.
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
    /// not on hold. No answer that could end these deliveries will arrive.
    /// - Parameter after: The last delivery of the previous page.
    package func stranded(after: StrandedDelivery? = nil) throws(StoreError) -> [StrandedDelivery] {
        try reader.read("look for damage") { db in
            try db.rows(
                sql: HotSQL.stranded,
                arguments: [after?.expiresAt ?? .min, after?.delivery.rawValue ?? 0, Self.strandedPerStep]
            ).map { StrandedDelivery(expiresAt: try $0[0], delivery: DeliveryID(rawValue: try $0[1])) }
        }
    }

    /// Ends those of the given deliveries that are complete, and puts on hold those that have missing
    /// messages.
    /// - Returns: The deliveries that this call ended.
    package func settle(_ stranded: [StrandedDelivery], at now: WallMoment) throws(StoreError) -> [DeliveryID]
    {
        try writer.write("end or hold idle deliveries") { db in
            try stranded.map(\.delivery).filter { try DeliveryEnd.finishIfDone($0, at: now, db) }
        }
    }

    package static let strandedPerStep = 500

    /// Returns at most 5 000 deliveries that are on hold and have not ended. Those that have been on hold for
    /// the longest time come first.
    package func held() throws(StoreError) -> [DamagedDelivery] {
        try reader.read("list damaged deliveries") { db in
            try db.rows(
                sql: "\(Self.selection) ORDER BY h.since_ms, h.delivery_id LIMIT ?1",
                arguments: [Connection.maximumRows]
            ).map(Self.damaged)
        }
    }

    /// Returns the hold of a delivery; `nil` if the delivery is not on hold or has ended.
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
