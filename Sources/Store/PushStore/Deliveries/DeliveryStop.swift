package import PushModel
internal import PushQueue

/// What came of a request to stop a delivery.
package enum StopStep: Equatable, Sendable {
    /// - Parameter isOver: nothing of it waited: it has ended.
    case stopped(isOver: Bool)
    /// It was stopped before, or has ended: nothing was changed.
    case unchanged(DeliveryState)
    /// There is no such delivery.
    case unknown
}

/// What one call of ``DeliveryStop/cancelNext(of:at:)`` did.
package struct CancelStep: Equatable, Sendable {
    /// Messages that it ended.
    package var ended = 0
    /// Whether the delivery has ended, with this or before.
    package var isOver = false
    package init() {}
}

/// Stops deliveries: for good, unlike ``DeliveryPause``.
///
/// **Promises.** One row of the delivery is changed, however large it is: from that commit on nothing of it is prepared, found or sent again, whatever is
/// killed. What waits is ended afterwards, a few parts a transaction: ``cancelNext(of:at:)`` until that
/// is all. What was never tried is cancelled, what is retrying fails with its last answer, as at the end
/// of its validity. An acceptance that comes later is recorded all the same.
package struct DeliveryStop: Sendable {
    let reader: Connection
    let writer: Connection

    /// Parts that one transaction walks: each is a row or two, and a figure of the tally.
    package static let partsPerStep = 20
    /// Rows that one step touches at most, what webhooks are told aside.
    package static let rowsPerStep = partsPerStep * 10

    package func stop(_ delivery: DeliveryID, at now: WallMoment) throws(StoreError) -> StopStep {
        try writer.write("stop a delivery", of: delivery) { db in
            let stopped = try db.execute(
                sql: HotSQL.stop, arguments: [delivery.rawValue, now.millisecondsSince1970])
            guard stopped > 0 else {
                return try DeliveryRow.state(of: delivery, db).map { .unchanged($0) } ?? .unknown
            }
            let isOver = try DeliveryEnd.finish(delivery, at: now, db)
            try WorkChange.note(db)
            return .stopped(isOver: isOver)
        }
    }

    /// Those that are stopped and have not ended.
    package func stopping() throws(StoreError) -> Set<DeliveryID> {
        try DeliveryPause.resting(isStopped: true, in: reader)
    }

    /// Ends what waits of the next parts of a delivery that was stopped, and with the last of them the
    /// delivery. What is with a gateway at that moment may still become sent, and nothing else: to be
    /// called when all that was begun is answered and recorded.
    package func cancelNext(of delivery: DeliveryID, at now: WallMoment) throws(StoreError) -> CancelStep {
        try writer.write("cancel what is stopped", of: delivery) { db in
            var step = CancelStep()
            guard try DeliveryRow.state(of: delivery, db) == .stopping else {
                step.isOver = true
                return step
            }
            let table = PartTable(db: db)
            var tallies = TallyByApp()
            let events = EndedEvents(try WantedEvents(db))
            for _ in 0..<Self.partsPerStep {
                guard let open = try Self.openPart(of: delivery, db) else { break }
                let done = try table.change(PartID(rawValue: open), &tallies) { stored in
                    stored.progress.stop(at: now.time)
                }
                // It would be found for ever.
                guard let (stored, change) = done, change.isChanged else { throw UnreadableValue() }
                try events.note(change, of: stored)
                step.ended += stored.progress.waiting
            }
            try TallyTable(db: db).add(tallies, of: delivery)
            try events.write(of: delivery, at: now, db)
            step.isOver = try DeliveryEnd.finishIfDone(delivery, at: now, db)
            return step
        }
    }

    /// What another host has is that one's to end: it knows what is with a gateway.
    private static func openPart(of delivery: DeliveryID, _ db: any Session) throws -> Int64? {
        guard let term = db.term else {
            return try db.value(Int64.self, sql: HotSQL.openPartOfDelivery, arguments: [delivery.rawValue])
        }
        return try db.value(
            Int64.self, sql: HotSQL.ownOpenPartOfDelivery, arguments: [delivery.rawValue, term])
    }
}

extension HotSQL {
    /// ?1 delivery, ?2 now in milliseconds. Nothing more of it is prepared.
    static let stop = """
        UPDATE delivery SET state = 'paused', stop_ms = ?2, prepared = 1
        WHERE id = ?1 AND \(DeliveryRow.isThisLive) AND stop_ms IS NULL
        """
}
