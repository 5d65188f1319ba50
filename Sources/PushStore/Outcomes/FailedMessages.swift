package import PushModel

/// Which failed messages of a delivery are to be sent again.
package struct RetryOfFailed: Equatable, Sendable {
    package var delivery: DeliveryID
    /// Only those with this word of the gateway's, or ours; nil, as is ``failureReason``: whatever the reason.
    package var word: String?
    /// Or with this reason of Campaign's.
    package var failureReason: FailureReason?
    /// Words that say that the message itself is at fault: another attempt would end like the last. See
    /// ``PushWire/MessageReasons``.
    package var hopelessWords: [String]
    /// The end of validity from now on, unless the delivery has a later one.
    package var expiresAt: WallTime

    package init(delivery: DeliveryID, hopelessWords: [String], expiresAt: WallTime) {
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
/// They become `retrying`, due at once: attempts, `_mId` and `apns-id` are what they were, and until the next answer the
/// last one stays on the row, as it does where validity ends before. What was cancelled untried did not fail and is left
/// alone.
///
/// **Promises.** One call is one transaction of a part, at most 5 000 rows: rows, counters, deadline and the delivery's
/// state agree at every commit. A delivery that had ended is open again with the first message that moves, and ends again
/// by itself. What an interruption leaves has failed still: the same again finds it.
package struct FailedMessages: Sendable {
    let connection: Connection

    /// Where the next call goes on.
    package struct Cursor: Equatable, Sendable {
        var lastMessage: Int64 = 0
        package init() {}
    }

    /// The next part of the delivery.
    /// - Returns: nil where there is none.
    package func retry(
        _ retry: RetryOfFailed, _ cursor: inout Cursor, at now: WallMoment
    ) throws(StoreError) -> RetriedMessages? {
        let start = cursor.lastMessage
        let done = try connection.write("send failed messages again") { db in
            let part = try db.row(
                sql: """
                    SELECT p.first_id, p.last_id, a.removed_at IS NULL AS is_addressable
                    FROM part p JOIN app a ON a.id = p.app_id
                    WHERE p.delivery_id = ?1 AND p.last_id > ?2 ORDER BY p.last_id LIMIT 1
                    """,
                arguments: [retry.delivery.rawValue, start])
            guard let part else { return nil as (step: RetriedMessages, last: Int64)? }
            let first: Int64 = try part["first_id"], last: Int64 = try part["last_id"]
            guard first <= last else { return (RetriedMessages(), last) }
            let step = try Self.move(
                retry, first...last, isAddressable: try part["is_addressable"], at: now.time, db)
            return (step, last)
        }
        guard let done else { return nil }
        cursor.lastMessage = done.last
        return done.step
    }

    private static func move(
        _ retry: RetryOfFailed, _ messages: ClosedRange<Int64>, isAddressable: Bool, at now: WallTime,
        _ db: any Session
    ) throws -> RetriedMessages {
        let named: [any SQLConvertible] = [
            messages.lowerBound, messages.upperBound, retry.delivery.rawValue, retry.word,
            retry.failureReason?.rawValue, try StoredJSON.encode(retry.hopelessWords), isAddressable,
        ]
        var step = RetriedMessages()
        if let row = try db.row(sql: HotSQL.failedMessages, arguments: named) {
            step.hopeless = try row["hopeless"] ?? 0
            step.gone = try row["gone"] ?? 0
            step.excluded = try row["excluded"] ?? 0
        }
        guard isAddressable else { return step }
        step.retried = try db.execute(
            sql: HotSQL.retryFailed, arguments: named.dropLast() + [now.secondsSince1970])
        if step.retried > 0 { try reopen(retry, moved: step.retried, db) }
        return step
    }

    private static func reopen(_ retry: RetryOfFailed, moved: Int, _ db: any Session) throws {
        try db.execute(
            sql: """
                UPDATE delivery SET failed = failed - ?1, retrying = retrying + ?1,
                    state = CASE WHEN \(DeliveryRow.isLive) THEN state ELSE 'inProgress' END,
                    finished_ms = NULL, expires_at = max(expires_at, ?2), expiry_cursor = 0
                WHERE id = ?3
                """,
            arguments: [moved, retry.expiresAt.secondsSince1970, retry.delivery.rawValue])
    }
}

extension HotSQL {
    /// ?1…?2 message range, ?3 delivery, ?4 the gateway's word, ?5 reason, ?6 words of hopeless ones as a JSON list.
    private static let isWanted = """
        m.id BETWEEN ?1 AND ?2 AND m.state = \(StateCode.failed) AND m.delivery_id = ?3
            AND (?4 IS NULL AND ?5 IS NULL OR m.provider_reason = ?4 OR m.failure_reason = ?5)
        """
    private static let isHopeless = "coalesce(m.provider_reason, '') IN (SELECT value FROM json_each(?6))"

    /// As above, ?7 whether the app is there. How many are not to be sent again, and why: the first reason counts.
    static let failedMessages = """
        SELECT sum(hopeless) AS hopeless, sum(NOT hopeless AND gone) AS gone,
            sum(NOT hopeless AND NOT gone AND excluded) AS excluded
        FROM (
            SELECT \(isHopeless) AS hopeless, s.id IS NULL OR NOT ?7 AS gone, coalesce(s.disabled, 0) <> 0 AS excluded
            FROM message m LEFT JOIN subscription s ON s.id = m.subscription_id WHERE \(isWanted)
        ) AS failed
        """

    /// As above, ?7 now.
    static let retryFailed = """
        UPDATE message AS m SET state = \(StateCode.retrying), due_at = ?7, updated_at = ?7
        WHERE \(isWanted) AND NOT \(isHopeless)
            AND EXISTS (SELECT 1 FROM subscription s WHERE s.id = m.subscription_id AND s.disabled = \(StateCode.valid))
        """
}
