package import PushModel

/// Writes the progress of receivers, and removes events that all of them have taken.
///
/// If a webhook was changed, or its events were trimmed, after the caller read it, a call for that webhook
/// changes nothing, and the sender reads the webhook again.
package struct WebhookProgressWriter: Sendable {
    let connection: Connection

    /// Records that a batch was put together, so that it is the same when it is sent again.
    /// - Parameter end: The number of the batch's last event.
    /// - Returns: Whether the webhook is unchanged.
    package func begin(_ webhook: Webhook, end: Int64) throws(StoreError) -> Bool {
        try connection.write("start a webhook's batch") { db in
            try db.execute(
                sql: """
                    UPDATE webhook_cursor SET batch_end = ?4 WHERE webhook_id = ?1 AND host = ?2 AND number \
                    = ?3
                        AND EXISTS (SELECT 1 FROM webhook w WHERE w.id = ?1 AND w.mark = ?5)
                    """,
                arguments: [
                    webhook.id.rawValue, EventRecord.host, webhook.progress.cursor, end, webhook.mark,
                ])
                == 1
        }
    }

    /// The result of a batch that the receiver took.
    package struct Taken: Sendable {
        /// The number of the batch's last event, and that of the following batch's last event if there is
        /// one.
        package var end: Int64
        package var next: Int64?
        package var events: Int
        /// The number of the batch's events whose data no longer exists.
        package var missing: Int
        package var answer: String

        package init(end: Int64, next: Int64?, events: Int, missing: Int, answer: String) {
            self.end = end
            self.next = next
            self.events = events
            self.missing = missing
            self.answer = answer
        }
    }

    /// - Returns: Whether the cursor was moved.
    package func take(_ webhook: Webhook, _ taken: Taken, at now: WallMoment) throws(StoreError) -> Bool {
        try connection.write("record that a webhook's batch was accepted") { db in
            try db.execute(
                sql: """
                    UPDATE webhook SET failures = 0, next_ms = NULL, answer = ?2, answered_ms = ?3, taken = \
                    taken + 1,
                        told = told + ?4, dropped = dropped + ?5
                    WHERE id = ?1
                    """,
                arguments: [
                    webhook.id.rawValue, taken.answer, now.millisecondsSince1970, taken.events, taken.missing,
                ])
            return try Self.move(webhook, to: taken.end, next: taken.next, db)
        }
    }

    /// Moves the cursor to the event `end`. The receiver gets none of the events in between.
    package func skip(_ webhook: Webhook, to end: Int64, next: Int64?, missing: Int) throws(StoreError)
        -> Bool
    {
        try connection.write("move a webhook's cursor") { db in
            if missing > 0 {
                try db.execute(
                    sql: "UPDATE webhook SET dropped = dropped + ?2 WHERE id = ?1",
                    arguments: [webhook.id.rawValue, missing])
            }
            return try Self.move(webhook, to: end, next: next, db)
        }
    }

    private static func move(
        _ webhook: Webhook, to end: Int64, next: Int64?, _ db: any Session
    ) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE webhook_cursor SET number = ?4, batch_end = CASE
                    WHEN EXISTS (SELECT 1 FROM webhook w WHERE w.id = ?1 AND w.mark = ?6) THEN CAST(?5 AS
                    BIGINT) END
                WHERE webhook_id = ?1 AND host = ?2 AND number = ?3
                """,
            arguments: [
                webhook.id.rawValue, EventRecord.host, webhook.progress.cursor, end, next, webhook.mark,
            ]) == 1
    }

    /// Records a failed attempt.
    /// - Parameters:
    ///   - answer: A description of the result.
    ///   - next: The time of the next attempt.
    ///   - disabled: The reason why no further attempt is made until an operator enables the webhook again;
    ///     `nil` if attempts continue.
    package func fail(
        _ webhook: Webhook, _ answer: String, next: WallMoment, disabled: String?, at now: WallMoment
    ) throws(StoreError) {
        try connection.write("record a webhook's failure") { db in
            try db.execute(
                sql: """
                    UPDATE webhook SET failures = failures + 1, next_ms = ?2, answer = ?3, answered_ms = ?4,
                        refused = refused + 1, disabled = coalesce(disabled, ?5)
                    WHERE id = ?1
                    """,
                arguments: [
                    webhook.id.rawValue, next.millisecondsSince1970, answer, now.millisecondsSince1970,
                    disabled,
                ])
        }
    }
}
