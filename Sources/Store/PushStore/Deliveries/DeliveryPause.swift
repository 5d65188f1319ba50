package import PushModel

/// What came of a request to pause a delivery, or to let it go on.
package enum PauseStep: Equatable, Sendable {
    case changed
    /// It was as it was to be, or has ended: nothing was changed.
    case unchanged(DeliveryState)
    /// There is no such delivery.
    case unknown
}

/// Pauses deliveries and lets them go on: a delivery is paused by its state, which those ask who look for
/// something to prepare or to send.
///
/// **Promises.** One row of the delivery is changed, however large it is. A master that is not notified finds the change
/// (``WorkChange``). Its validity keeps running. The state before is not stored: it follows from how far the
/// preparation has come.
package struct DeliveryPause: Sendable {
    let reader: Connection
    let writer: Connection

    package func pause(_ delivery: DeliveryID) throws(StoreError) -> PauseStep {
        try change(delivery, isToBePaused: true).step
    }

    package func resume(_ delivery: DeliveryID) throws(StoreError) -> PauseStep {
        try change(delivery, isToBePaused: false).step
    }

    /// - Returns: also the state from then on; nil: there is no such delivery.
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

    /// How far it is; nil: there is no such delivery.
    package func state(of delivery: DeliveryID) throws(StoreError) -> DeliveryState? {
        try reader.read("look for paused deliveries", of: delivery) { db in
            try DeliveryRow.state(of: delivery, db)
        }
    }

    /// All that are paused, by pages; those that are stopped are not.
    package func paused() throws(StoreError) -> Set<DeliveryID> {
        try Self.resting(isStopped: false, in: reader)
    }

    /// All of which nothing is sent though something waits, by pages: those that are paused, or those that
    /// are stopped and not held as damaged.
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
    /// ?1 delivery.
    static let pause = """
        UPDATE delivery SET state = 'paused' WHERE id = ?1 AND coalesce(state, '') IN ('startPending', 'preparing', 'inProgress')
        """

    /// ?1 delivery: it goes on as far as its preparation has come. One that single messages join is not
    /// prepared; one that was stopped stays so.
    static let resume = """
        UPDATE delivery SET state = CASE WHEN prepared = 1 OR open_until IS NOT NULL THEN 'inProgress'
            WHEN started_ms IS NOT NULL THEN 'preparing' ELSE 'startPending' END
        WHERE id = ?1 AND coalesce(state, '') = 'paused' AND stop_ms IS NULL
        """
}
