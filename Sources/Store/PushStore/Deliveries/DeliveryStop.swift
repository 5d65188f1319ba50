package import PushModel
internal import PushQueue

/// The result of a request to stop a delivery.
package enum StopStep: Equatable, Sendable {
    /// - Parameter isOver: Whether the delivery has ended already, because none of its messages were waiting.
    case stopped(isOver: Bool)
    /// The delivery was stopped before, or has ended, so nothing was changed.
    case unchanged(DeliveryState)
    /// The delivery does not exist.
    case unknown
}

/// The result of one call of ``DeliveryStop/cancelNext(of:at:)``.
package struct CancelStep: Equatable, Sendable {
    /// The number of messages that the call ended.
    package var ended = 0
    /// Whether the delivery has ended, by this call or before it.
    package var isOver = false
    package init() {}
}

/// Stops deliveries permanently, unlike ``DeliveryPause``.
///
/// **Promises.** Only one row of the delivery is changed, however large the delivery is. From that commit on,
/// even if a process is killed, none of the delivery's messages is prepared, found or sent again. Waiting
/// messages are ended afterwards, a few parts per transaction: ``cancelNext(of:at:)`` is called until all
/// have ended. Messages that were never tried are cancelled; messages that are retrying fail with their last
/// answer, as they do when the validity ends. An acceptance that arrives later is still recorded.
package struct DeliveryStop: Sendable {
    let reader: Connection
    let writer: Connection

    /// The number of parts that one transaction processes. For each part, the transaction changes a row or
    /// two and a figure of the tally.
    package static let partsPerStep = 20
    /// The maximum number of rows that one step touches, not counting webhook events.
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

    /// Returns the deliveries that are stopped and have not ended.
    package func stopping() throws(StoreError) -> Set<DeliveryID> {
        try DeliveryPause.resting(isStopped: true, in: reader)
    }

    /// Ends the waiting messages of the next parts of a stopped delivery. The delivery ends together with its
    /// last message. Only messages that are with a gateway when the delivery ends may still reach the state
    /// `sent`. Must be called only after every request that had begun has been answered and its outcome has
    /// been recorded.
    package func cancelNext(of delivery: DeliveryID, at now: WallMoment) throws(StoreError) -> CancelStep {
        try writer.write("cancel a stopped delivery's messages", of: delivery) { db in
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
                // If a part were left unchanged, it would be found again forever.
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

    /// Returns an open part that this host may end; `nil` if there is none. Each host ends its own parts,
    /// because only that host knows which of their messages are with a gateway.
    private static func openPart(of delivery: DeliveryID, _ db: any Session) throws -> Int64? {
        guard let term = db.term else {
            return try db.value(Int64.self, sql: HotSQL.openPartOfDelivery, arguments: [delivery.rawValue])
        }
        return try db.value(
            Int64.self, sql: HotSQL.ownOpenPartOfDelivery, arguments: [delivery.rawValue, term])
    }
}

extension HotSQL {
    /// ?1: the delivery; ?2: the current time in milliseconds. No more messages of the delivery are prepared.
    static let stop = """
        UPDATE delivery SET state = 'paused', stop_ms = ?2, prepared = 1
        WHERE id = ?1 AND \(DeliveryRow.isThisLive) AND stop_ms IS NULL
        """
}
