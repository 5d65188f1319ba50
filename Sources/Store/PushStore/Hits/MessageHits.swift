package import PushModel

/// The number of reports of each kind that devices have sent about one message.
package struct MessageHits: Equatable, Sendable {
    package var receipts = 0
    package var clicks = 0
}

extension HitReader {
    /// Returns the reports about a message. If the message does not exist, there are none.
    package func hits(
        on message: MessageID, in delivery: DeliveryID
    ) throws(StoreError) -> MessageHits {
        guard message.rawValue > 0, delivery.rawValue > 0 else { return MessageHits() }
        return try connection.read("look for a device's reports", of: delivery) { db in
            guard let stored = try PartTable(db: db).part(of: message), stored.part.delivery == delivery,
                stored.index(of: message) != nil,
                let row = try db.row(
                    sql: "SELECT receipts, clicks FROM hit WHERE delivery_id = ?1 AND number = ?2",
                    arguments: [delivery.rawValue, stored.part.ordinal(of: message)])
            else { return MessageHits() }
            return MessageHits(receipts: try row["receipts"], clicks: try row["clicks"])
        }
    }
}
