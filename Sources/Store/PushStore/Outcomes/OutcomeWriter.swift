package import PushModel

package struct RecordResult: Equatable, Sendable {
    /// The deliveries that these outcomes ended.
    package var finished: [DeliveryID] = []
    /// The current state of each account in the batches, omitting accounts that have no waiting verdicts and
    /// are not in a storm.
    package var trust: [AccountTrust] = []
    /// The judgements that were made about these accounts.
    package var judgements: [AccountJudgement] = []
    /// The faults to report for outcomes that were omitted because their messages do not belong to the
    /// delivery of the batch, or because another host has their part.
    package var faults: [EngineFault] = []
    package init() {}
}

/// An account that was judged, with the answers on which the judgement is based.
package struct AccountJudgement: Equatable, Sendable {
    package var trust: AccountTrust
    package var judgement: TrustJudgement
    package init(_ trust: AccountTrust, _ judgement: TrustJudgement) {
        self.trust = trust
        self.judgement = judgement
    }
}

/// A writer of the outcomes of messages.
///
/// **Promises.** One call is one transaction: rows, counters and the end of a delivery agree at every commit.
/// An acceptance is a fact. It is recorded even if the message has been cancelled or has failed in the
/// meantime, as happens to a message in flight at the end of its validity. Any other outcome of a message
/// that no longer waits is late. Late outcomes change nothing, and neither do outcomes of messages that do
/// not belong to the delivery of the batch. A delivery that has ended stays ended. What answers state about
/// accounts and tokens is stored in the same transaction, and takes effect only through ``VerdictWriter``. A
/// verdict in a late outcome is not kept.
package struct OutcomeWriter: Sendable {
    /// The maximum number of rows that one call may touch.
    package static let maximumRows = 4_900
    /// Returns the maximum number of rows that a batch touches: one for each message, and the delivery's row
    /// twice (for the counters and for the end). A frame full of answers can contain thousands of batches of
    /// one message each, so the limit applies to rows.
    ///
    /// The following rows do not count, because they cause little work: two rows for each of the few
    /// accounts, two for each kind of event that a webhook requests, and the earlier errors and verdicts
    /// about the same tokens, which acceptances delete.
    package static func rows(of batch: OutcomeBatch) -> Int { rows(addedBy: batch) + 2 }
    /// Returns the number of rows that a batch adds to another batch of the same delivery. A message with a
    /// verdict touches one more row.
    package static func rows(addedBy batch: OutcomeBatch) -> Int {
        batch.others.reduce(batch.count) { $1.tokenVerdict == nil ? $0 : $0 + 1 }
    }

    let connection: Connection

    /// Records batches with a total of at most ``maximumRows`` rows; more are refused.
    /// - Parameters:
    ///   - settling: Whether an error names the delivery that it concerns. This is not necessary in a group
    ///     of several callers, because a group that fails is halved until the failing caller is alone.
    ///   - judge: Called with each account that has waiting verdicts. The judgement that it returns takes
    ///     effect in the same transaction, so that an account is judged by exactly the answers that were
    ///     examined.
    package func record(
        _ batches: [OutcomeBatch], at now: WallMoment, settling: Bool = true,
        judge: (AccountTrust) -> TrustJudgement = { _ in .wait }
    ) throws(StoreError) -> RecordResult {
        let rows = batches.reduce(0) { $0 + Self.rows(of: $1) }
        guard rows <= Self.maximumRows else {
            let what = "one call records at most \(Self.maximumRows) rows, not \(rows)"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("record outcomes", settles: settling) { db in
            var result = RecordResult()
            let wanted = try WantedEvents(db)
            let proof = try LivenessUpdate(db)
            var trust = TrustCounts(at: now, db)
            if let first = batches.first?.answers.first { try trust.ask(for: first.account) }
            for batch in batches {
                do {
                    let recorder = try Self.record(
                        batch, telling: wanted, proof: proof, trust: &trust, at: now, db)
                    if settling { try db.settle() }
                    if let fault = recorder.fault { result.faults.append(fault) }
                    if recorder.mayHaveEnded, try DeliveryEnd.finishIfDone(batch.delivery, at: now, db) {
                        result.finished.append(batch.delivery)
                    }
                } catch {
                    let error = StoreError(error, during: "record outcomes", path: connection.path)
                    throw error.met(in: batch.delivery)
                }
            }
            result.trust = try trust.write()
            result.judgements = try Self.judge(result.trust, at: now, db, by: judge)
            return result
        }
    }

    /// Counts answers of settled spans for which no outcome is recorded at the same time. At this point,
    /// nothing else is known about the accounts.
    /// - Returns: The accounts that were judged on the basis of these answers.
    package func count(
        _ answers: [AccountAnswers], at now: WallMoment, judge: (AccountTrust) -> TrustJudgement
    ) throws(StoreError) -> [AccountJudgement] {
        try connection.write("count answers") { db in
            var trust = TrustCounts(at: now, db)
            try trust.count(answers)
            return try Self.judge(try trust.write(), at: now, db, by: judge)
        }
    }

    private static func judge(
        _ undecided: [AccountTrust], at now: WallMoment, _ db: any Session,
        by judge: (AccountTrust) -> TrustJudgement
    ) throws -> [AccountJudgement] {
        var judgements: [AccountJudgement] = []
        for trust in undecided {
            let judgement = judge(trust)
            guard judgement != .wait else { continue }
            try VerdictWriter.note(judgement, of: trust, at: now, db)
            judgements.append(AccountJudgement(trust, judgement))
        }
        return judgements
    }

    private static func record(
        _ batch: OutcomeBatch, telling wanted: WantedEvents, proof: LivenessUpdate, trust: inout TrustCounts,
        at now: WallMoment, _ db: any Session
    ) throws -> OutcomeRecorder {
        var recorder = OutcomeRecorder(batch, at: now, telling: wanted, db)
        try recorder.record { record, verdict, subscription in
            try trust.hold(verdict, from: record, of: batch.delivery, about: subscription)
        } prove: { proven in
            if try proof.isWanted() { try proof.note(proven()) }
        }
        try trust.count(batch.answers)
        return recorder
    }
}
