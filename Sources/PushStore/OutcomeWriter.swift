internal import GRDB
package import PushModel

/// What a record call changed of one delivery.
package struct DeliveryTally: Equatable, Sendable {
    package var delivery: DeliveryID
    package var sent = 0
    package var failed = 0
    package var retrying = 0
    package var cancelled = 0
    package var excluded = 0
    /// Outcomes that changed nothing: of messages that were final already, or that are not this delivery's.
    package var late = 0
    package init(delivery: DeliveryID) { self.delivery = delivery }
}

package struct RecordResult: Equatable, Sendable {
    /// In the order of the batches.
    package var tallies: [DeliveryTally] = []
    /// Deliveries that ended with these outcomes.
    package var finished: [DeliveryID] = []
    package init() {}
}

/// Writes what became of messages.
///
/// **Promises.** One call is one transaction: rows, counters and the end of a delivery agree at every commit. An
/// acceptance is a fact: it is recorded even where the message had been cancelled or had failed meanwhile, as one in
/// flight at the end of its validity has. Any other outcome of a message that no longer waits is late: it is counted
/// and changes nothing. A delivery that has ended stays ended.
package struct OutcomeWriter: Sendable {
    /// Rows that one call may touch.
    package static let maximumRows = 4_900
    /// Rows that a batch touches at most: its messages, and its delivery's twice, for the counters and the end. A
    /// frame full of answers may be thousands of batches of one message each, so it is rows that are bounded.
    package static func rows(of batch: OutcomeBatch) -> Int { batch.count + 2 }

    let connection: Connection

    /// Records batches of at most ``maximumRows`` rows in all; more are refused.
    package func record(_ batches: [OutcomeBatch], at now: WallMoment) throws(StoreError) -> RecordResult {
        let rows = batches.reduce(0) { $0 + Self.rows(of: $1) }
        guard rows <= Self.maximumRows else {
            let what = "one call records at most \(Self.maximumRows) rows, not \(rows)"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("record outcomes") { db in
            var result = RecordResult()
            for batch in batches {
                var ledger = try OutcomeLedger(batch.delivery, at: now.time, db)
                try ledger.accept(batch.accepted)
                for record in batch.others { try ledger.apply(record) }
                try ledger.writeCounters(db)
                result.tallies.append(ledger.tally)
                if ledger.changedAnything, try DeliveryEnd.finishIfDone(batch.delivery, at: now, db) {
                    result.finished.append(batch.delivery)
                }
            }
            return result
        }
    }

    /// Says that every message of the part had its first pass.
    package func closePart(_ part: PartID) throws(StoreError) {
        try connection.write("close a part") { db in
            try db.execute(sql: "UPDATE part SET open = 0 WHERE id = ? AND open = 1", arguments: [part.rawValue])
        }
    }
}
