package import PushModel

/// Finding a message by the gateway's id.
extension MessageStatusReader {
    /// The maximum number of parts whose messages are searched in all deliveries.
    package static let partsSearched = 500
    private static let partsPerSearch = 20

    /// Returns the message to which a gateway gave this id; `nil` if none is found. No index contains the
    /// gateways' ids, because a write of each id to an index would slow down sending. The search therefore
    /// examines parts in steps, the newest first.
    /// - Parameter delivery: The delivery whose messages are searched; `nil` to search the last
    ///   ``partsSearched`` parts of all deliveries.
    package func message(
        providerID: String, in delivery: DeliveryID?
    ) throws(StoreError) -> (message: MessageID, delivery: DeliveryID)? {
        if let delivery { return try message(providerID, of: delivery) }
        var (end, searched) = (Int64.max, 0)
        while searched < Self.partsSearched, let window = try window(before: end, parts: Self.partsPerSearch)
        {
            if let found = try message(providerID, from: window.first, to: end - 1) { return found }
            if window.isLast { return nil }
            (end, searched) = (window.first, searched + Self.partsPerSearch)
        }
        return nil
    }

    private func message(
        _ providerID: String, of delivery: DeliveryID
    ) throws(StoreError) -> (message: MessageID, delivery: DeliveryID)? {
        var last: Int64 = 0
        while true {
            let after = last
            let parts = try connection.read("find a message", of: delivery) { db in
                try SentMessages.parts(of: delivery, after: after, atMost: Self.partsPerSearch, db)
                    .map(\.id.rawValue)
            }
            guard let first = parts.first, let end = parts.last else { return nil }
            // Parts of other deliveries may be between those of this delivery.
            if let found = try message(providerID, from: first, to: end), found.delivery == delivery {
                return found
            }
            last = end
        }
    }

    /// - Parameters:
    ///   - first: The first of the parts that are searched.
    ///   - last: The last of them.
    private func message(
        _ providerID: String, from first: Int64, to last: Int64
    ) throws(StoreError) -> (message: MessageID, delivery: DeliveryID)? {
        try connection.read("find a message") { db in
            let row = try db.row(
                sql: HotSQL.noteWithProviderID, arguments: [first, last, providerID])
            guard let row, let stored = try PartTable(db: db).part(PartID(rawValue: try row[0])),
                case let index:Int = try row[1], index >= 0, index < stored.count
            else { return nil }
            return (stored.part.message(at: index), stored.part.delivery)
        }
    }
}

extension HotSQL {
    /// ?1…?2 parts, ?3 the gateway's id. Returns the part and the index of the message with this id.
    static let noteWithProviderID = """
        SELECT part_id, message_index FROM part_note
        WHERE part_id BETWEEN ?1 AND ?2 AND provider_id = ?3 ORDER BY part_id, message_index LIMIT 1
        """
}
