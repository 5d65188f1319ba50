package import PushModel

/// A message that is due again, without its subscription's bytes.
package struct RetryFacts: Equatable, Sendable {
    package var message: MessageID
    package var delivery: DeliveryID
    /// Within the delivery, from 1.
    package var ordinal: Int64
    package var attempts: Int
    package var due: WallTime

    package init(message: MessageID, delivery: DeliveryID, ordinal: Int64, attempts: Int, due: WallTime) {
        self.message = message
        self.delivery = delivery
        self.ordinal = ordinal
        self.attempts = attempts
        self.due = due
    }
}

/// Reads messages with their subscriptions, lending bytes instead of copying them.
///
/// **Promises.** Nothing is allocated per row. Each call sees one committed state.
/// A message whose subscription has gone comes with an empty token: it must be ended, not skipped.
package final class MessageReader: Sendable {
    /// Gets one message; the spans end with the call.
    package typealias Borrower<Message> = (
        _ message: Message, _ token: Span<UInt8>, _ userKey: Span<UInt8>, _ parametersJSON: Span<UInt8>
    ) -> Void

    private let connection: Connection

    init(connection: Connection) { self.connection = connection }

    /// The pending messages of `range` within a part, in order, at most 5 000.
    /// - Returns: how many.
    @discardableResult
    package func pending(
        in part: Part, range: ClosedRange<MessageID>,
        body: Borrower<MessageID>
    ) throws(StoreError) -> Int {
        let range = range.clamped(to: part.messages)
        return try connection.read("read messages") { db in
            let statement = try db.statement(HotSQL.pending)
            statement.bind(range.lowerBound.rawValue, at: 1)
            statement.bind(range.upperBound.rawValue, at: 2)
            statement.bind(Int64(Connection.maximumRows), at: 3)
            return try lend(statement) { statement, token, userKey, parameters in
                body(MessageID(rawValue: statement.integer(0)), token, userKey, parameters)
            }
        }
    }

    /// An app's messages whose due time has come, by due time and id.
    /// - Parameters:
    ///   - after: due time and id of the last one of the page before.
    ///   - limit: at most 5 000.
    /// - Returns: how many.
    @discardableResult
    package func retries(
        app: AppID, dueBy: WallTime, after: (due: WallTime, message: MessageID)? = nil, limit: Int,
        body: Borrower<RetryFacts>
    ) throws(StoreError) -> Int {
        try connection.read("read retries") { db in
            let statement = try db.statement(HotSQL.retries)
            statement.bind(app.rawValue, at: 1)
            statement.bind(dueBy.secondsSince1970, at: 2)
            statement.bind(after?.due.secondsSince1970 ?? .min, at: 3)
            statement.bind(after?.message.rawValue ?? .min, at: 4)
            statement.bind(Int64(max(0, min(limit, Connection.maximumRows))), at: 5)
            return try lend(statement) { statement, token, userKey, parameters in
                let facts = RetryFacts(
                    message: MessageID(rawValue: statement.integer(0)),
                    delivery: DeliveryID(rawValue: statement.integer(4)), ordinal: statement.integer(7),
                    attempts: Int(statement.integer(5)), due: WallTime(secondsSince1970: statement.integer(6)))
                body(facts, token, userKey, parameters)
            }
        }
    }

    /// How many messages of an app are due again, counted to at most `limit`.
    package func retryingDue(app: AppID, dueBy: WallTime, limit: Int = 5_000) throws(StoreError) -> Int {
        try connection.read("count retries") { db in
            let statement = try db.statement(HotSQL.retriesDue)
            defer { statement.reset() }
            statement.bind(app.rawValue, at: 1)
            statement.bind(dueBy.secondsSince1970, at: 2)
            statement.bind(Int64(max(0, min(limit, Connection.maximumRows))), at: 3)
            return try statement.next() ? Int(statement.integer(0)) : 0
        }
    }

    /// Walks the rows of a statement whose columns 1 to 3 are token, user key and parameters.
    ///
    /// Unsafe because it lends SQLite's own memory: columns stay valid until the next step, the spell buffer until
    /// this returns, and spans cannot outlive the closure that gets them.
    private func lend(
        _ statement: any Statement, to body: (any Statement, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws -> Int {
        defer { statement.reset() }
        return try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoredToken.longestHex) { spelled in
            var count = 0
            while try statement.next() {
                var token = unsafe statement.bytes(1)
                if statement.isBlob(1) {
                    let length = unsafe StoredToken.spell(token, into: spelled)
                    unsafe token = UnsafeBufferPointer(rebasing: spelled[..<length])
                }
                let userKey = unsafe statement.bytes(2)
                let parameters = unsafe statement.bytes(3)
                body(statement, unsafe token.span, unsafe userKey.span, unsafe parameters.span)
                count += 1
            }
            return count
        }
    }
}
