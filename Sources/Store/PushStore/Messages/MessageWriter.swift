package import PushModel

/// Accepts messages one by one, many in one transaction. See ``MessageIntake`` for whoever has few of them.
///
/// **Promises.** Messages of one transaction that say the same to one app share a part. A message has its number
/// and its place in an open delivery (``OpenDeliveries``) at the commit, and needs no preparation. What is wrong
/// with one message refuses that one alone.
package struct MessageWriter: Sendable {
    /// Messages of one call at most.
    static let mostAtOnce = 500

    let connection: Connection

    /// - Parameters:
    ///   - messages: at most ``mostAtOnce``.
    ///   - memory: what earlier calls learned, where they were committed.
    func accept(
        _ messages: [NewMessage], knowing memory: MessageMemory, at now: WallMoment
    ) throws(StoreError) -> MessageBatch {
        try connection.write("accept messages") { db in
            var unit = MessageUnit(messages, memory: memory, at: now, db, path: connection.path)
            return try unit.run()
        }
    }

    /// Whether there are open deliveries whose day is over.
    package func hasToClose(at now: WallMoment) throws(StoreError) -> Bool {
        try connection.read("look for work") { db in
            try db.value(Int64.self, sql: HotSQL.toClose, arguments: [now.time.secondsSince1970, 1]) != nil
        }
    }

    /// Closes open deliveries whose day is over: they end when nothing of them waits.
    /// - Returns: which have ended already.
    package func closeEnded(at now: WallMoment) throws(StoreError) -> [DeliveryID] {
        try connection.write("close deliveries of single messages") { db in
            try OpenDeliveries(db: db, now: now, path: connection.path).closeEnded()
        }
    }
}

/// What became of messages that were accepted together.
struct MessageBatch: Sendable {
    /// In their order; nil: it was not looked at, and is to be given again.
    var results: [MessageResult?]
    /// What is to be sent, in the order of numbers.
    var parts: [AcceptedPart] = []
    /// See ``PreparationStep/mendedNumbers``.
    var mendedNumbers: String?
    /// True once this is committed.
    var learned = MessageMemory()
}

/// A part of messages that were accepted a moment ago.
package struct AcceptedPart: Equatable, Sendable {
    package var part: Part
    package var priority: DeliveryPriority
}
