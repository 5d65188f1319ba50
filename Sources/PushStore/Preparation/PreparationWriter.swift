package import PushModel

/// What one call of ``PreparationWriter/prepareChunk(of:at:)`` did.
package struct PreparationStep: Equatable, Sendable {
    /// nil where the chunk held no message that can be sent.
    package var part: Part?
    /// Message rows written, excluded ones among them.
    package var rows = 0
    /// Nothing is left to prepare of this delivery.
    package var isComplete = false
    /// Nothing is left to send of it either: it has ended.
    package var isFinished = false
}

/// Turns a delivery's target into message rows, a chunk at a time.
///
/// **Promises.** A chunk's rows, its part, the counters and the cursor are in one transaction, of at most 5 000 rows
/// read or written: whatever is killed in between, no subscription is taken twice and none is left out. The messages
/// of a part have consecutive ids, because nobody else writes meanwhile.
package struct PreparationWriter: Sendable {
    let connection: Connection

    /// Small deliveries that share a transaction.
    private static let mostAtOnce = 100

    /// Prepares a chunk of the delivery whose turn it is; where that is small, chunks of the next ones with it.
    /// - Returns: what was done, with the deliveries that it was done for; empty: nothing waits to be prepared.
    package func prepareNext(
        _ turns: inout PreparationTurns, at now: WallMoment
    ) throws(StoreError) -> [(delivery: DeliveryID, step: PreparationStep)] {
        let before = turns
        let (steps, after) = try connection.write("prepare deliveries") { db in
            var turns = before
            var steps: [(DeliveryID, PreparationStep)] = []
            var room = Connection.chunkRows
            // What is left of a chunk is worth beginning a large delivery with while it is half of one.
            while room >= Connection.chunkRows / 2, steps.count < Self.mostAtOnce,
                let delivery = try WorkReader(connection: connection).nextToPrepare(at: now, &turns)
            {
                let step = try prepareChunk(of: delivery, limit: room, at: now)
                steps.append((delivery, step))
                room -= step.rows + Self.rowsBesides
            }
            return (steps, turns)
        }
        turns = after
        return steps
    }

    /// What a chunk changes besides its messages: its delivery's row twice, its part, a target's page.
    private static let rowsBesides = 5

    /// Prepares the next chunk. A delivery that needs no preparation any more gives an empty, complete step.
    /// - Parameter limit: messages at most; nil: as many as one transaction takes.
    package func prepareChunk(
        of delivery: DeliveryID, limit: Int? = nil, at now: WallMoment
    ) throws(StoreError) -> PreparationStep {
        try connection.write("prepare a delivery", of: delivery) { db in
            guard let plan = try PreparationPlan.load(delivery, db) else {
                throw StoreError(.unknown(.delivery, name: "\(delivery)"), path: connection.path)
            }
            guard !plan.contradictsItself else {
                // Whoever looks for work would find it for ever.
                let what = "delivery \(delivery) is in progress and not prepared"
                throw StoreError(.unsound(what: what), path: connection.path)
            }
            guard plan.isUnfinished else { return PreparationStep(isComplete: true) }
            guard plan.cursor.app < plan.apps.count else {
                let finished = try conclude(plan, at: now, db)
                return PreparationStep(isComplete: true, isFinished: finished)
            }
            return try prepare(
                plan, app: plan.apps[plan.cursor.app], limit: limit ?? Connection.chunkRows, at: now, db)
        }
    }

    private func prepare(
        _ plan: PreparationPlan, app: AppID, limit: Int, at now: WallMoment, _ db: any Session
    ) throws -> PreparationStep {
        var selection = try TargetSelection(plan, app: app, limit: limit, at: now.time, db)
        try selection.select(db)
        let rows = selection.rows
        var step = PreparationStep(rows: rows)
        var excluded = 0
        if rows > 0 {
            let last = selection.lastMessage
            let messages = MessageID(rawValue: last - Int64(rows) + 1)...MessageID(rawValue: last)
            let found = try db.value(
                Int.self,
                sql: "SELECT count(*) FROM message WHERE id BETWEEN ?1 AND ?2 AND state = \(StateCode.excluded)",
                arguments: [messages.lowerBound.rawValue, last])
            excluded = found ?? 0
            let part = try insertPart(
                of: plan, app: app, messages: messages, isOpen: excluded < rows, db)
            if excluded < rows { step.part = part }
        }
        try db.execute(
            sql: """
                UPDATE delivery SET
                    state = 'preparing', started_ms = coalesce(started_ms, ?1),
                    targeted = targeted + ?2, pending = pending + ?2, excluded = excluded + ?3,
                    app_cursor = ?4, page_cursor = ?5, value_cursor = ?6, subscription_cursor = ?7,
                    last_ordinal = last_ordinal + ?8
                WHERE id = ?9
                """,
            arguments: [
                now.millisecondsSince1970, rows - excluded, excluded, selection.next.app, selection.next.page,
                selection.next.value, selection.next.subscription, rows, plan.delivery.rawValue,
            ])
        if selection.next.app >= plan.apps.count {
            step.isComplete = true
            step.isFinished = try conclude(plan, at: now, db)
        }
        return step
    }

    private func insertPart(
        of plan: PreparationPlan, app: AppID, messages: ClosedRange<MessageID>, isOpen: Bool, _ db: any Session
    ) throws -> Part {
        let firstOrdinal = plan.lastOrdinal + 1
        let id = try db.insert(
            """
            INSERT INTO part (delivery_id, app_id, first_id, last_id, first_ordinal, open)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """,
            [
                plan.delivery.rawValue, app.rawValue, messages.lowerBound.rawValue, messages.upperBound.rawValue,
                firstOrdinal, isOpen,
            ])
        return Part(
            id: PartID(rawValue: id), delivery: plan.delivery, app: app, messages: messages,
            firstOrdinal: firstOrdinal)
    }

    /// - Returns: whether the delivery has ended with this.
    private func conclude(_ plan: PreparationPlan, at now: WallMoment, _ db: any Session) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE delivery SET prepared = 1, state = 'inProgress', started_ms = coalesce(started_ms, ?1) WHERE id = ?2
                """,
            arguments: [now.millisecondsSince1970, plan.delivery.rawValue])
        return try DeliveryEnd.finishIfDone(plan.delivery, at: now, db)
    }
}
