package import PushModel
internal import PushQueue

/// Reads the states of messages. A message is found by its number alone; the delivery is only checked.
package struct MessageStatusReader: Sendable {
    let connection: Connection
    /// The services whose messages exist for the caller.
    var bounds = ServiceBounds.unbound

    /// A message with its log entry and the time of its next attempt.
    package struct MessageStatus: Equatable, Sendable {
        package var delivery: DeliveryID
        /// The delivery's label.
        package var label: String
        /// Whether the message's payload contains its id, so that its device can report it.
        package var isTracked: Bool
        package var entry: MessageLogEntry
        /// The earliest time of sending; `nil` if the message may be sent immediately or is no longer
        /// pending.
        package var start: WallTime?
        /// The time of the next attempt; `nil` if the message is not to be tried again.
        package var due: WallTime?
        /// The time after which the message is no longer sent.
        package var deadline: WallTime

        /// - Parameter notes: The notes of the message's part. They are read only if the message is retrying.
        init(
            _ entry: MessageLogEntry, at index: Int, of stored: StoredPart, _ source: MessageSource,
            _ notes: @autoclosure () throws -> PartNotes
        ) rethrows {
            (delivery, self.entry) = (stored.part.delivery, entry)
            (label, isTracked) = (source.label, source.isTracked)
            start = entry.state == .pending ? stored.progress.heldUntil : nil
            due = entry.state == .retrying ? try notes()[index]?.due : nil
            deadline = stored.progress.deadline
        }
    }

    /// - Returns: `nil` if the message does not exist or was removed.
    package func status(of message: MessageID, in delivery: DeliveryID) throws(StoreError) -> MessageStatus? {
        // An id invented by a caller may be any number.
        guard message.rawValue > 0, delivery.rawValue > 0 else { return nil }
        return try connection.read("read a message", of: delivery) { db in
            let table = PartTable(db: db)
            guard let stored = try table.part(of: message), stored.part.delivery == delivery,
                let index = stored.index(of: message),
                let source = try MessageSource(delivery, within: bounds, db)
            else { return nil }
            var writer = try LogWriter(delivery, db, readsHits: true)
            var entries: [MessageLogEntry] = []
            try writer.write(stored, [index], try table.members(of: stored.part), to: &entries)
            guard let entry = entries.first else { return nil }
            return try MessageStatus(
                entry, at: index, of: stored, source, try table.notes(of: stored.part.id))
        }
    }
}

/// The properties of a delivery that are shown with its messages.
struct MessageSource {
    let label: String
    let isTracked: Bool

    /// `nil` if the delivery does not exist, or if its messages are being removed.
    init?(_ delivery: DeliveryID, within bounds: ServiceBounds, _ db: any Session) throws {
        let row = try db.row(
            sql: "SELECT label, tracking, service_id FROM delivery WHERE id = ?1 AND removed_ms IS NULL",
            arguments: [delivery.rawValue])
        guard let row, bounds.admit(ServiceID(rawValue: try row["service_id"])) else { return nil }
        (label, isTracked) = (try row["label"], try row["tracking"])
    }
}
