package import PushModel

/// What one call of ``OutcomeWriter/expire(at:)`` did.
package struct ExpiryStep: Equatable, Sendable {
    /// Rows that this call made final.
    package var changed = 0
    /// Deliveries that this call ended.
    package var finished: [DeliveryID] = []
    /// Whether another call has something to do now.
    package var hasMore = false
    package init() {}
}

extension OutcomeWriter {
    /// Ends what outlived its validity, a part of a delivery a call: pending messages are cancelled as expired,
    /// retrying ones fail with their last answer. Preparation stops. A delivery of which nothing was prepared failed.
    /// Throws ``StoreError/Cause/unsound(what:)`` where a delivery's counters name messages that its parts do not have.
    package func expire(at now: WallMoment) throws(StoreError) -> ExpiryStep {
        try connection.write("end what has expired") { db in
            guard let delivery = try ExpiringDelivery.next(at: now.time, db) else { return ExpiryStep() }
            do { return try expire(delivery, at: now, db) } catch {
                let error = StoreError(error, during: "end what has expired", path: connection.path)
                throw error.met(in: delivery.id)
            }
        }
    }

    private func expire(_ delivery: ExpiringDelivery, at now: WallMoment, _ db: any Session) throws -> ExpiryStep {
        var step = ExpiryStep()
        step.hasMore = true
        if try delivery.stopPreparation(at: now, db) {
            step.finished = [delivery.id]
            return step
        }
        let part = try delivery.nextPart(db)
        if let part { step.changed = try delivery.end(part, at: now, db) }
        if try DeliveryEnd.finishIfDone(delivery.id, at: now, db) {
            step.finished = [delivery.id]
        } else if part == nil {
            // The next call would find the same: whoever goes on while there is more would never stop.
            let what = "delivery \(delivery.id) counts messages that it does not have"
            throw StoreError(.unsound(what: what), path: connection.path)
        }
        return step
    }
}

/// The delivery that is next to be ended.
struct ExpiringDelivery {
    var id: DeliveryID
    var cursor: Int64
    var isUntouched: Bool

    static func next(at now: WallTime, _ db: any Session) throws -> ExpiringDelivery? {
        try db.row(
            sql: """
                SELECT id, expiry_cursor, started_ms IS NULL AS untouched FROM delivery
                WHERE \(DeliveryRow.isLive) AND expires_at <= ?1
                    AND id NOT IN (SELECT delivery_id FROM damaged_delivery WHERE expires = 0)
                ORDER BY expires_at LIMIT 1
                """,
            arguments: [now.secondsSince1970]
        ).map {
            ExpiringDelivery(
                id: DeliveryID(rawValue: try $0["id"]), cursor: try $0["expiry_cursor"],
                isUntouched: try $0["untouched"])
        }
    }

    /// - Returns: whether nothing had begun, which ends the delivery as failed.
    func stopPreparation(at now: WallMoment, _ db: any Session) throws -> Bool {
        guard isUntouched else {
            try db.execute(
                sql: "UPDATE delivery SET prepared = 1, state = 'inProgress' WHERE id = ?1 AND prepared = 0",
                arguments: [id.rawValue])
            return false
        }
        try db.execute(
            sql: "UPDATE delivery SET prepared = 1, state = 'failed', finished_ms = ?1 WHERE id = ?2",
            arguments: [now.millisecondsSince1970, id.rawValue])
        return true
    }

    func nextPart(_ db: any Session) throws -> Row? {
        try db.row(
            sql: """
                SELECT id, first_id, last_id FROM part WHERE delivery_id = ?1 AND last_id > ?2 ORDER BY last_id LIMIT 1
                """,
            arguments: [id.rawValue, cursor])
    }

    /// - Returns: rows that became final.
    func end(_ part: Row, at now: WallMoment, _ db: any Session) throws -> Int {
        func run(_ sql: String) throws -> Int {
            let statement = try db.statement(sql)
            statement.bind(try part["first_id"] as Int64, at: 1)
            statement.bind(try part["last_id"] as Int64, at: 2)
            statement.bind(now.time.secondsSince1970, at: 3)
            return try statement.change()
        }
        let cancelled = try run(HotSQL.cancelPending)
        let failed = try run(HotSQL.failRetrying)
        try db.execute(sql: "UPDATE part SET open = 0 WHERE id = ?1", arguments: [part["id"] as Int64])
        try db.execute(
            sql: """
                UPDATE delivery SET pending = pending - ?1, cancelled = cancelled + ?1,
                    retrying = retrying - ?2, failed = failed + ?2, expiry_cursor = ?3
                WHERE id = ?4
                """,
            arguments: [cancelled, failed, try part["last_id"] as Int64, id.rawValue])
        return cancelled + failed
    }
}
