package import PushModel
internal import PushQueue

/// Which failed messages of a delivery are to be sent again.
package struct RetryOfFailed: Sendable {
    package var delivery: DeliveryID
    /// Only those with this word of the gateway's, or ours; nil, as is ``failureReason``: whatever the
    /// reason.
    package var word: String?
    /// The gateway's word in a reason, which may have a detail behind it.
    package var wordOfReason: @Sendable (String) -> String
    /// Or with this reason of Campaign's.
    package var failureReason: FailureReason?
    /// Words that say that the message itself is at fault: another attempt would end like the last. See
    /// ``PushWire/MessageReasons``.
    package var hopelessWords: [String]
    /// The end of validity from now on, unless the delivery has a later one.
    package var expiresAt: WallTime

    package init(
        delivery: DeliveryID, hopelessWords: [String], expiresAt: WallTime,
        wordOfReason: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.wordOfReason = wordOfReason
        self.delivery = delivery
        self.hopelessWords = hopelessWords
        self.expiresAt = expiresAt
    }
}

/// What became of failed messages that were to be sent again.
package struct RetriedMessages: Equatable, Sendable {
    package var retried = 0
    /// Left as they are: the message itself is at fault.
    package var hopeless = 0
    /// Left as they are: the subscription, or the app, was removed.
    package var gone = 0
    /// Left as they are: the subscription is in quarantine or disabled.
    package var excluded = 0
    package init() {}

    package var found: Int { retried + hopeless + gone + excluded }

    package static func += (left: inout Self, right: Self) {
        left.retried += right.retried
        left.hopeless += right.hopeless
        left.gone += right.gone
        left.excluded += right.excluded
    }
}

/// Sends failed messages again, as an operator wants it who has mended why they failed.
///
/// They become `retrying`, due at once: attempts, `_mId` and `apns-id` are what they were, and until the next
/// answer the last one stays theirs, as it does where validity ends before. What was cancelled untried did
/// not fail and is left alone.
///
/// **Promises.** One call is one transaction of a part: messages, tally, deadline and the delivery's state
/// agree at every commit. A delivery that had ended is open again with the first message that moves, and ends
/// again by itself. With that message its validity begins anew for all that waits of it: no part ends before
/// its delivery (``OutcomeWriter/expire(at:)``), so parts in which nothing moves need no step. What an
/// interruption leaves has failed still: the same again finds it.
package struct FailedMessages: Sendable {
    let connection: Connection

    /// Where the next call goes on.
    package struct Cursor: Equatable, Sendable {
        var last: PartID?
        package init() {}
    }

    /// The next part of the delivery.
    /// - Returns: nil where there is none.
    package func retry(
        _ retry: RetryOfFailed, _ cursor: inout Cursor, at now: WallMoment
    ) throws(StoreError) -> RetriedMessages? {
        let start = cursor.last
        let done = try connection.write("send failed messages again", of: retry.delivery) { db in
            // It may have been stopped since the step before.
            let isOver = try db.value(
                Bool.self,
                sql: "SELECT removed_ms IS NOT NULL OR stop_ms IS NOT NULL FROM delivery WHERE id = ?1",
                arguments: [retry.delivery.rawValue])
            if isOver == true { return nil as (step: RetriedMessages, last: PartID)? }
            guard let stored = try PartTable(db: db).parts(of: retry.delivery, after: start, limit: 1).first
            else {
                return nil
            }
            return (try Self.move(retry, stored, at: now.time, db), stored.part.id)
        }
        guard let done else { return nil }
        cursor.last = done.last
        return done.step
    }

    private static func move(
        _ retry: RetryOfFailed, _ stored: StoredPart, at now: WallTime, _ db: any Session
    ) throws -> RetriedMessages {
        var step = RetriedMessages()
        guard stored.progress.counts.failed > 0 else { return step }
        let table = PartTable(db: db)
        var causes = CauseStore(retry.delivery, db)
        let named = try wanted(retry, stored.progress.states, try causes.causes(), &step)
        let isAddressable = try db.value(
            Bool.self, sql: "SELECT removed_at IS NULL FROM app WHERE id = ?1",
            arguments: [stored.part.app.rawValue])
        guard isAddressable == true else {
            step.gone += named.count
            return step
        }
        let chosen = try addressable(named, of: stored.part, table, &step)
        guard !chosen.isEmpty else { return step }
        var tallies = TallyByApp()
        let done = try table.change(stored.part.id, &tallies) { stored in
            stored.progress.reopen(
                chosen, at: now, deadline: retry.expiresAt, notes: try table.notes(of: stored.part.id))
        }
        guard let (before, change) = done, change.isChanged else { return step }
        step.retried = before.progress.counts.failed - change.progress.counts.failed
        try TallyTable(db: db).add(tallies, of: retry.delivery)
        try reopen(retry, db)
        if stored.part.content != .ofDelivery {
            try db.execute(
                sql: "UPDATE message_content SET expires_at = ?2 WHERE id = ?1 AND expires_at < ?2",
                arguments: [stored.part.content.rawValue, retry.expiresAt.secondsSince1970])
        }
        return step
    }

    /// Failed messages that are meant, those that are hopeless counted and left out.
    private static func wanted(
        _ retry: RetryOfFailed, _ states: PartStates, _ causes: CauseTable, _ step: inout RetriedMessages
    ) throws -> ContiguousArray<Int> {
        var found: ContiguousArray<Int> = []
        states.forEachRun(in: 0..<states.count) { range, status in
            guard status.state == .failed else { return }
            let cause = causes[status.cause]
            let word = cause.map { retry.wordOfReason($0.word) }
            if retry.word != nil || retry.failureReason != nil {
                let isNamed =
                    retry.word.map { $0 == cause?.word || $0 == word } ?? false
                    || retry.failureReason.map { $0 == cause?.reason } ?? false
                guard isNamed else { return }
            }
            if let word, retry.hopelessWords.contains(word) {
                step.hopeless += range.count
            } else {
                found.append(contentsOf: range)
            }
        }
        return found
    }

    /// Those whose subscriptions are there and valid; the others are counted.
    private static func addressable(
        _ indices: ContiguousArray<Int>, of part: Part, _ table: PartTable, _ step: inout RetriedMessages
    ) throws -> MessageSet {
        var chosen = MessageSet(limit: part.count)
        guard !indices.isEmpty else { return chosen }
        let statement = try table.db.statement("SELECT disabled FROM subscription WHERE id = ?1")
        for (index, subscription) in zip(indices, try table.members(of: part).subscriptions(at: indices)) {
            defer { statement.reset() }
            statement.bind(subscription.rawValue, at: 1)
            guard try statement.next() else {
                step.gone += 1
                continue
            }
            if statement.integer(0) == StateCode.valid { chosen.insert(index) } else { step.excluded += 1 }
        }
        return chosen
    }

    private static func reopen(_ retry: RetryOfFailed, _ db: any Session) throws {
        try db.execute(
            sql: """
                UPDATE delivery SET state = CASE WHEN \(DeliveryRow.isLive) THEN state ELSE 'inProgress' END,
                    finished_ms = NULL, expires_at = CASE WHEN expires_at < ?1 THEN ?1 ELSE expires_at END
                WHERE id = ?2
                """,
            arguments: [retry.expiresAt.secondsSince1970, retry.delivery.rawValue])
    }
}
