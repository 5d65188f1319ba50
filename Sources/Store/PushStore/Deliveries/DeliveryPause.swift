package import PushModel

/// The result of a request to pause or resume a delivery.
package enum PauseStep: Equatable, Sendable {
    case changed
    /// The delivery already had the requested state, or has ended, so nothing was changed.
    case unchanged(DeliveryState)
    /// The delivery does not exist.
    case unknown
}

/// Pauses and resumes deliveries. A paused delivery has the state `paused`, which is respected by all code
/// that looks for messages to prepare or to send.
///
/// **Promises.** Only one row of the delivery is changed, however large the delivery is. A master that is not
/// notified finds the change (``WorkChange``). The delivery's validity continues to run. The state before the
/// pause is not stored, because it follows from the progress of the preparation.
package struct DeliveryPause: Sendable {
    let reader: Connection
    let writer: Connection

    package func pause(_ delivery: DeliveryID) throws(StoreError) -> PauseStep {
        try change(delivery, isToBePaused: true).step
    }

    package func resume(_ delivery: DeliveryID) throws(StoreError) -> PauseStep {
        try change(delivery, isToBePaused: false).step
    }

    /// - Returns: The result of the request, and the delivery's state after the request; the state is `nil`
    ///   if the delivery does not exist.
    package func change(
        _ delivery: DeliveryID, isToBePaused: Bool
    ) throws(StoreError) -> (step: PauseStep, state: DeliveryState?) {
        let sql = isToBePaused ? HotSQL.pause : HotSQL.resume
        return try writer.write("pause or resume a delivery", of: delivery) { db in
            let hasChanged = try db.execute(sql: sql, arguments: [delivery.rawValue]) > 0
            if hasChanged { try WorkChange.note(db) }
            guard let state = try DeliveryRow.state(of: delivery, db) else { return (.unknown, nil) }
            return (hasChanged ? .changed : .unchanged(state), state)
        }
    }

    /// Returns the state of a delivery; `nil` if the delivery does not exist.
    package func state(of delivery: DeliveryID) throws(StoreError) -> DeliveryState? {
        try reader.read("look for paused deliveries", of: delivery) { db in
            try DeliveryRow.state(of: delivery, db)
        }
    }

    /// Returns all paused deliveries, read in pages. Stopped deliveries are not included.
    package func paused() throws(StoreError) -> Set<DeliveryID> {
        try Self.resting(isStopped: false, in: reader)
    }

    /// Returns either all paused deliveries, or all deliveries that are stopped and not on hold as damaged.
    /// They are read in pages. Their waiting messages must not be sent.
    static func resting(isStopped: Bool, in reader: Connection) throws(StoreError) -> Set<DeliveryID> {
        let stop =
            isStopped
            ? """
            stop_ms IS NOT NULL AND id NOT IN (SELECT delivery_id FROM damaged_delivery WHERE restored = 0)
            """ : "stop_ms IS NULL"
        var found: Set<DeliveryID> = []
        var last: Int64 = 0
        while true {
            let page = try reader.read("look for paused deliveries") { db in
                try db.values(
                    Int64.self,
                    sql: """
                        SELECT id FROM delivery
                        WHERE \(DeliveryRow.isLive) AND state = 'paused' AND \(stop) AND id > ?1
                        ORDER BY id LIMIT ?2
                        """,
                    arguments: [last, Connection.maximumRows])
            }
            found.formUnion(page.map(DeliveryID.init(rawValue:)))
            guard page.count == Connection.maximumRows, let end = page.last else { return found }
            last = end
        }
    }
}

extension HotSQL {
    /// ?1: the delivery.
    static let pause = """
        UPDATE delivery SET state = 'paused' WHERE id = ?1 AND coalesce(state, '') IN ('startPending', \
        'preparing', 'inProgress')
        """

    /// ?1: the delivery. The delivery continues where its preparation stopped. A delivery that single
    /// messages join has no preparation, so it is in progress again. A stopped delivery stays stopped.
    static let resume = """
        UPDATE delivery SET state = CASE WHEN prepared = 1 OR open_until IS NOT NULL THEN 'inProgress'
            WHEN started_ms IS NOT NULL THEN 'preparing' ELSE 'startPending' END
        WHERE id = ?1 AND coalesce(state, '') = 'paused' AND stop_ms IS NULL
        """
}
