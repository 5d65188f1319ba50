package import PushModel
internal import PushQueue

/// What became of one message, found by its number alone.
package struct MessageStatusReader: Sendable {
    let connection: Connection

    /// One message with what its log says, and when it is tried next.
    package struct MessageStatus: Equatable, Sendable {
        package var entry: MessageLogEntry
        /// nil: it is not to be tried again.
        package var due: WallTime?
        /// After it it is not sent any more.
        package var deadline: WallTime
    }

    /// - Returns: nil: there is no such message, or it was removed.
    package func status(of message: MessageID, in delivery: DeliveryID) throws(StoreError) -> MessageStatus? {
        // What was made up by somebody may be any number.
        guard message.rawValue > 0, delivery.rawValue > 0 else { return nil }
        return try connection.read("read a message", of: delivery) { db in
            let table = PartTable(db: db)
            guard let stored = try table.part(of: message), stored.part.delivery == delivery,
                let index = stored.index(of: message)
            else { return nil }
            var writer = try LogWriter(delivery, db)
            var entries: [MessageLogEntry] = []
            try writer.write(stored, [index], try table.members(of: stored.part), to: &entries)
            guard let entry = entries.first else { return nil }
            let due = entry.state == .retrying ? try table.notes(of: stored.part.id)[index]?.due : nil
            return MessageStatus(entry: entry, due: due, deadline: stored.progress.deadline)
        }
    }
}
