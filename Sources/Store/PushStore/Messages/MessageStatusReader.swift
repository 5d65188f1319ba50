package import PushModel
internal import PushQueue

/// What became of one message, found by its number alone.
package struct MessageStatusReader: Sendable {
    let connection: Connection

    /// One message with what its log says, and when it is tried next.
    package struct MessageStatus: Equatable, Sendable {
        package var delivery: DeliveryID
        package var entry: MessageLogEntry
        /// Not before; nil: it has no such time, or that has come.
        package var start: WallTime?
        /// nil: it is not to be tried again.
        package var due: WallTime?
        /// After it it is not sent any more.
        package var deadline: WallTime

        /// - Parameter notes: those of the part, if it has retrying messages.
        init(
            _ entry: MessageLogEntry, at index: Int, of stored: StoredPart,
            _ notes: @autoclosure () throws -> PartNotes
        ) rethrows {
            (delivery, self.entry) = (stored.part.delivery, entry)
            start = entry.state == .pending ? stored.progress.heldUntil : nil
            due = entry.state == .retrying ? try notes()[index]?.due : nil
            deadline = stored.progress.deadline
        }
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
            return try MessageStatus(entry, at: index, of: stored, try table.notes(of: stored.part.id))
        }
    }
}
