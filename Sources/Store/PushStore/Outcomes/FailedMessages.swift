package import PushModel
internal import PushQueue

/// A selection of a delivery's failed messages to send again.
package struct RetryOfFailed: Sendable {
    package var delivery: DeliveryID
    /// Selects messages that failed with this reason code, which is either the gateway's or PushMTA's. If
    /// both this and ``failureReason`` are `nil`, all failed messages are selected.
    package var word: String?
    /// Extracts the gateway's reason code from a stored reason, which may contain further details.
    package var wordOfReason: @Sendable (String) -> String
    /// Selects messages that failed with this Campaign failure reason, in addition to those that ``word``
    /// selects.
    package var failureReason: FailureReason?
    /// The reason codes that indicate a fault in the message itself: another attempt would end like the last
    /// one. See ``PushWire/MessageReasons``.
    package var permanentReasons: [String]
    /// The new end of the messages' validity, unless the delivery's validity already ends later.
    package var expiresAt: WallTime

    package init(
        delivery: DeliveryID, permanentReasons: [String], expiresAt: WallTime,
        wordOfReason: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.wordOfReason = wordOfReason
        self.delivery = delivery
        self.permanentReasons = permanentReasons
        self.expiresAt = expiresAt
    }
}

/// The result of sending failed messages again.
package struct RetriedMessages: Equatable, Sendable {
    package var retried = 0
    /// The number of messages left unchanged because the fault is in the message itself.
    package var hopeless = 0
    /// The number of messages left unchanged because the subscription or the app was removed.
    package var gone = 0
    /// The number of messages left unchanged because the subscription is in quarantine or disabled.
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

/// An operation that sends failed messages again, at the request of an operator who has fixed the cause of
/// the failure.
///
/// The messages become `retrying` and are due immediately. Attempts, `_mId` and `apns-id` are unchanged. The
/// messages keep their last answer until the next one arrives, or permanently if their validity ends first.
/// Messages that were cancelled without an attempt did not fail and are left unchanged.
///
/// **Promises.** One call is one transaction for one part: messages, tally, deadline and the delivery's state
/// agree at every commit. If the delivery had ended, the first retried message reopens it; the delivery later
/// ends again by itself. Reopening also extends the validity of all waiting messages of the delivery: no part
/// expires before its delivery (``OutcomeWriter/expire(at:)``), so parts without retried messages need no
/// change. After an interruption, the messages that have not been processed are still in the state `failed`,
/// so repeating the request finds them.
package struct FailedMessages: Sendable {
    let connection: Connection

    /// The position at which the next call continues.
    package struct Cursor: Equatable, Sendable {
        var last: PartID?
        package init() {}
    }

    /// Processes the next part of the delivery.
    /// - Returns: `nil` if there is no further part.
    package func retry(
        _ retry: RetryOfFailed, _ cursor: inout Cursor, at now: WallMoment
    ) throws(StoreError) -> RetriedMessages? {
        let start = cursor.last
        let done = try connection.write("send failed messages again", of: retry.delivery) { db in
            // The delivery may have been stopped since the previous step.
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

    /// Returns the selected failed messages. Messages that are at fault themselves are counted and omitted.
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
            if let word, retry.permanentReasons.contains(word) {
                step.hopeless += range.count
            } else {
                found.append(contentsOf: range)
            }
        }
        return found
    }

    /// Returns the messages whose subscriptions exist and are valid, and counts the other messages.
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
