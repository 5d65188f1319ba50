package import PushModel

/// A writer that accepts individual messages, many in one transaction. Callers with few messages use
/// ``MessageIntake``.
///
/// **Promises.** Messages of one transaction with the same content for the same app share a part. Once the
/// transaction is committed, a message has its number and its place in an open delivery (``OpenDeliveries``),
/// and needs no preparation. An invalid message affects only itself.
package struct MessageWriter: Sendable {
    /// The maximum number of messages in one call.
    static let maxAtOnce = 500

    let connection: Connection

    /// - Parameters:
    ///   - messages: At most ``maxAtOnce``.
    ///   - memory: The entries learned by earlier calls that were committed.
    func accept(
        _ messages: [NewMessage], knowing memory: MessageMemory, at now: WallMoment
    ) throws(StoreError) -> MessageBatch {
        try connection.write("accept messages") { db in
            var unit = MessageUnit(messages, memory: memory, at: now, db, path: connection.path)
            return try unit.run()
        }
    }

    /// Reports whether there are open deliveries whose day is over.
    package func hasToClose(at now: WallMoment) throws(StoreError) -> Bool {
        try connection.read("look for work") { db in
            try db.value(Int64.self, sql: HotSQL.toClose, arguments: [now.time.secondsSince1970, 1]) != nil
        }
    }

    /// Closes open deliveries whose day is over. They end when none of their messages wait.
    /// - Returns: Those of the closed deliveries that have already ended.
    package func closeEnded(at now: WallMoment) throws(StoreError) -> [DeliveryID] {
        try connection.write("close deliveries of single messages") { db in
            try OpenDeliveries(db: db, now: now, path: connection.path).closeEnded()
        }
    }
}

/// The result of messages that were accepted together.
struct MessageBatch: Sendable {
    /// The results, in the order of the messages; `nil` if a message was not examined and must be submitted
    /// again.
    var results: [MessageResult?]
    /// The parts to send, ordered by number.
    var parts: [AcceptedPart] = []
    /// See ``PreparationStep/repairedNumbers``.
    var repairedNumbers: String?
    /// The entries that are valid once the transaction is committed.
    var learned = MessageMemory()
}

/// A part of messages that were just accepted.
package struct AcceptedPart: Equatable, Sendable {
    package var part: Part
    package var priority: DeliveryPriority
}
