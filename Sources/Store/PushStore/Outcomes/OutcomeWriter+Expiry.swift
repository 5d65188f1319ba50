package import PushModel
internal import PushQueue

/// The result of one call of ``OutcomeWriter/expire(at:)``.
package struct ExpiryStep: Equatable, Sendable {
    /// The number of messages that this call made final.
    package var changed = 0
    /// The deliveries that this call ended.
    package var finished: [DeliveryID] = []
    /// For each delivery in ``finished`` that has messages that cannot be read, the number of those messages.
    /// They are counted as cancelled.
    package var lost: [DeliveryID: Int] = [:]
    /// Whether an immediate further call may find more messages or deliveries to end.
    package var hasMore = false
    package init() {}
}

extension OutcomeWriter {
    /// Ends messages whose validity is over. Each call processes one part of one delivery: pending messages
    /// are cancelled as expired, and retrying messages fail with their last answer. If the delivery's
    /// validity is over, its preparation stops, its unreadable rows no longer prevent its end, and it fails
    /// if it has no prepared messages.
    package func expire(at now: WallMoment) throws(StoreError) -> ExpiryStep {
        try connection.write("end expired messages") { db in
            guard let expiring = try Expiring.next(at: now.time, db) else { return ExpiryStep() }
            do { return try expire(expiring, at: now, db) } catch {
                let error = StoreError(error, during: "end expired messages", path: connection.path)
                throw error.met(in: expiring.delivery)
            }
        }
    }

    private func expire(_ expiring: Expiring, at now: WallMoment, _ db: any Session) throws -> ExpiryStep {
        var step = ExpiryStep()
        step.hasMore = true
        let delivery = expiring.delivery
        if let isUntouched = expiring.isUntouched, try stopPreparation(of: delivery, isUntouched, at: now, db)
        {
            step.finished = [delivery]
            return step
        }
        let open = try db.value(Int64.self, sql: HotSQL.openPartOfDelivery, arguments: [delivery.rawValue])
        guard let part = expiring.part ?? open.map(PartID.init(rawValue:)) else {
            let lost = try DeliveryEnd.finishExpired(delivery, at: now, db)
            step.finished = [delivery]
            if lost > 0 { step.lost[delivery] = lost }
            return step
        }
        let table = PartTable(db: db)
        var tallies = TallyByApp()
        let done = try table.change(part, &tallies) { stored in
            var progress = stored.progress
            // The end of a delivery's validity applies to all its messages. If the validity is extended, it
            // is extended for all waiting messages.
            if expiring.part == nil { progress.shorten(to: now.time) }
            if let end = expiring.laterEnd { return progress.extend(to: end) }
            return progress.expire(at: now.time)
        }
        guard let (stored, change) = done, change.isChanged else { throw UnreadableValue() }
        let events = EndedEvents(try WantedEvents(db))
        try events.note(change, of: stored)
        try events.write(of: delivery, at: now, db)
        step.changed = -change.tally.counts.pending - change.tally.counts.retrying
        try TallyTable(db: db).add(tallies, of: delivery)
        // If the delivery's validity is over, missing messages are counted later, by the call that finds no
        // waiting messages.
        let isFinished =
            try expiring.part == nil
            ? DeliveryEnd.finish(delivery, at: now, db) : DeliveryEnd.finishIfDone(delivery, at: now, db)
        if isFinished { step.finished = [delivery] }
        return step
    }

    /// - Returns: Whether the delivery had not begun, in which case the delivery ends as failed.
    private func stopPreparation(
        of delivery: DeliveryID, _ isUntouched: Bool, at now: WallMoment, _ db: any Session
    ) throws -> Bool {
        guard isUntouched else {
            try db.execute(
                sql: """
                    UPDATE delivery SET prepared = 1, state = CASE WHEN state = 'paused' THEN state ELSE \
                    'inProgress' END
                    WHERE id = ?1 AND prepared = 0
                    """,
                arguments: [delivery.rawValue])
            return false
        }
        try db.execute(
            sql: "UPDATE delivery SET prepared = 1, state = 'failed', finished_ms = ?1 WHERE id = ?2",
            arguments: [now.millisecondsSince1970, delivery.rawValue])
        return true
    }
}

/// The next item to end: a delivery whose validity is over, or a part whose own validity ended earlier.
struct Expiring {
    var delivery: DeliveryID
    /// For a delivery: whether its preparation has not begun.
    var isUntouched: Bool?
    /// The part; `nil` means the next part of the delivery.
    var part: PartID?
    /// For a part: the end of its delivery's validity, if that end was postponed after the part was prepared
    /// (``FailedMessages``). In that case, the part has not expired, and its validity is extended to the same
    /// time.
    var laterEnd: WallTime?

    static func next(at now: WallTime, _ db: any Session) throws -> Expiring? {
        let delivery = try db.row(
            sql: """
                SELECT id, started_ms IS NULL AS untouched FROM delivery
                WHERE \(DeliveryRow.isLive) AND expires_at <= ?1
                    AND id NOT IN (SELECT delivery_id FROM damaged_delivery WHERE expires = 0)
                ORDER BY expires_at LIMIT 1
                """,
            arguments: [now.secondsSince1970])
        if let delivery {
            return Expiring(
                delivery: DeliveryID(rawValue: try delivery["id"]), isUntouched: try delivery["untouched"])
        }
        return try db.row(sql: HotSQL.expiredPart, arguments: [now.secondsSince1970]).map {
            let end = (try $0["expires_at"] as Int64?).map(WallTime.init(secondsSince1970:))
            return Expiring(
                delivery: DeliveryID(rawValue: try $0["delivery_id"]),
                part: PartID(rawValue: try $0["part_id"]),
                laterEnd: end.flatMap { $0 > now ? $0 : nil })
        }
    }
}
