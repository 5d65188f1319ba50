package import PushModel
internal import PushQueue

/// What the device reported about one message.
package struct MessageHits: Equatable, Sendable {
    /// The time of the first report, whether it reported a receipt or a click.
    package var received: WallMoment
    /// The number of reports of a receipt.
    package var receipts: Int
    /// The time of the first click; `nil` if no click was reported.
    package var clicked: WallMoment?
    package var clicks: Int

    package init(received: WallMoment, receipts: Int, clicked: WallMoment? = nil, clicks: Int = 0) {
        (self.received, self.receipts, self.clicked, self.clicks) = (received, receipts, clicked, clicks)
    }

    /// The columns of ``HotSQL/hitsOfMessages``.
    private init(_ statement: any Statement) {
        self.init(
            received: WallMoment(millisecondsSince1970: statement.integer(1)),
            receipts: Int(clamping: statement.integer(2)),
            clicked: statement.optionalInteger(3).map(WallMoment.init(millisecondsSince1970:)),
            clicks: Int(clamping: statement.integer(4)))
    }

    /// If the messages are further apart than this number for each message, each message is looked up
    /// separately.
    private static let widestStep = 16

    /// Returns the reports about messages of a part, by the messages' numbers within the delivery.
    /// - Parameter indices: The indices of the messages, in ascending order.
    static func read(
        of part: Part, at indices: ContiguousArray<Int>, _ db: any Session
    ) throws -> [Int64: MessageHits] {
        guard let first = indices.first, let last = indices.last else { return [:] }
        let statement = try db.statement(HotSQL.hitsOfMessages)
        var hits: [Int64: MessageHits] = [:]
        func read(_ range: ClosedRange<Int>) throws {
            defer { statement.reset() }
            statement.bind(part.delivery.rawValue, at: 1)
            statement.bind(part.firstOrdinal + Int64(range.lowerBound), at: 2)
            statement.bind(part.firstOrdinal + Int64(range.upperBound), at: 3)
            while try statement.next() { hits[statement.integer(0)] = MessageHits(statement) }
        }
        if last - first < indices.count * widestStep {
            try read(first...last)
        } else {
            for index in indices { try read(index...index) }
        }
        return hits
    }
}

extension HotSQL {
    /// ?1 delivery, ?2…?3 numbers. Returns what devices reported about these messages.
    static let hitsOfMessages = """
        SELECT number, received_ms, receipts, clicked_ms, clicks FROM hit
        WHERE delivery_id = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number
        """
}

extension HitReader {
    /// Returns the reports about a message; `nil` if there are none, or if the message does not exist.
    package func hits(
        on message: MessageID, in delivery: DeliveryID
    ) throws(StoreError) -> MessageHits? {
        guard message.rawValue > 0, delivery.rawValue > 0 else { return nil }
        return try connection.read("look for a device's reports", of: delivery) { db in
            guard let stored = try PartTable(db: db).part(of: message), stored.part.delivery == delivery,
                let index = stored.index(of: message)
            else { return nil }
            return try MessageHits.read(of: stored.part, at: [index], db).values.first
        }
    }
}
