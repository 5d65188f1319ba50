package import PushModel

package struct RecordResult: Equatable, Sendable {
    /// Deliveries that ended with these outcomes.
    package var finished: [DeliveryID] = []
    /// Of the accounts that the batches name, those with verdicts that wait or with a storm, as they are now.
    package var trust: [AccountTrust] = []
    /// What was made of them, where something was.
    package var judgements: [AccountJudgement] = []
    /// Outcomes that were left out, because their messages are not the batch's delivery's.
    package var faults: [EngineFault] = []
    package init() {}
}

/// An account that was judged, with the answers that it was judged by.
package struct AccountJudgement: Equatable, Sendable {
    package var trust: AccountTrust
    package var judgement: TrustJudgement
    package init(_ trust: AccountTrust, _ judgement: TrustJudgement) {
        self.trust = trust
        self.judgement = judgement
    }
}

/// Writes what became of messages.
///
/// **Promises.** One call is one transaction: rows, counters and the end of a delivery agree at every commit.
/// An acceptance is a fact: it is recorded even where the message had been cancelled or had failed meanwhile,
/// as one in flight at the end of its validity has. Any other outcome of a message that no longer waits is
/// late, as is one of a message that is not the batch's delivery's: it changes nothing. A delivery that has
/// ended stays ended. What answers say of accounts and tokens is kept in the same transaction, and takes
/// effect only through ``VerdictWriter``; a late verdict is not kept.
package struct OutcomeWriter: Sendable {
    /// Rows that one call may touch.
    package static let maximumRows = 4_900
    /// Rows that a batch touches at most: its messages, and its delivery's twice, for the counters and the
    /// end. A frame full of answers may be thousands of batches of one message each, so it is rows that are
    /// bounded.
    ///
    /// Not in the bound: two rows for each account, which are few, two for each kind of event that a webhook
    /// wants to be told, and what acceptances delete of earlier errors and verdicts of the same tokens, which
    /// is little work.
    package static func rows(of batch: OutcomeBatch) -> Int { rows(addedBy: batch) + 2 }
    /// What a batch adds to another one of its delivery: a message that brings a verdict touches a row more.
    package static func rows(addedBy batch: OutcomeBatch) -> Int {
        batch.others.reduce(batch.count) { $1.tokenVerdict == nil ? $0 : $0 + 1 }
    }

    let connection: Connection

    /// Records batches of at most ``maximumRows`` rows in all; more are refused.
    /// - Parameters:
    ///   - settling: whether an error says of which delivery it is. In a group of several callers it need
    ///     not: they are tried one by one.
    ///   - judge: asked of each account with verdicts that wait. What it says takes effect in the same
    ///     transaction, so that an account is judged by the answers that were looked at and no others.
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
            let proof = try ProofOfLife(db)
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

    /// Counts answers of settled spans that no outcome takes along: nothing else is known of their accounts for now.
    /// - Returns: the accounts that were judged by them.
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
        _ batch: OutcomeBatch, telling wanted: WantedEvents, proof: ProofOfLife, trust: inout TrustCounts,
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
