package import PushModel
internal import PushQueue

/// An operation that cancels individual messages.
///
/// **Promises.** After the commit, no request for the message is ordered, because the component that orders a
/// request reads the message's state. A request that was ordered earlier may still send the message; in this
/// case, the store records it as sent. If this was the last waiting message of a delivery, the delivery ends
/// when the leading host looks for deliveries without waiting messages (``DeliveryRepair``).
package struct MessageCancellation: Sendable {
    let connection: Connection

    package enum Step: Equatable, Sendable {
        /// - Parameter host: The id of the host that has the message's part and may be sending it; `nil` if
        ///   no host has it.
        case cancelled(host: String?)
        /// The message was not waiting.
        case unchanged(MessageState)
        /// The message does not exist.
        case unknown
    }

    package func cancel(
        _ message: MessageID, in delivery: DeliveryID, at now: WallMoment
    ) throws(StoreError) -> Step {
        // An id invented by a caller may be any number.
        guard message.rawValue > 0, delivery.rawValue > 0 else { return .unknown }
        return try connection.write("cancel a message", of: delivery) { db in
            let table = PartTable(db: db)
            guard let found = try table.part(of: message), found.part.delivery == delivery,
                let index = found.index(of: message)
            else { return .unknown }
            var tallies = TallyByApp()
            let done = try table.change(found.part.id, &tallies) { stored in
                let notes = stored.progress.nextDue == nil ? nil : try table.notes(of: stored.part.id)
                return stored.progress.cancel(index, at: now.time, notes: notes)
            }
            guard let (stored, change) = done, let old = stored.progress.states.status(at: index) else {
                return .unknown
            }
            guard change.isChanged else { return .unchanged(old.state) }
            try TallyTable(db: db).add(tallies, of: delivery)
            let events = EndedEvents(try WantedEvents(db))
            try events.note(change, of: stored)
            try events.write(of: delivery, at: now, db)
            // For a part that is held back, no request was ever ordered.
            return .cancelled(
                host: stored.progress.heldUntil == nil ? try holder(of: stored.part.id, db) : nil)
        }
    }

    private func holder(of part: PartID, _ db: any Session) throws -> String? {
        guard db.dialect == .postgreSQL else { return nil }
        return try db.value(
            String.self,
            sql: """
                SELECT h.id FROM part_lease l JOIN host h ON h.term = l.term
                WHERE l.part_id = ?1 AND h.state IN ('serving', 'sending')
                """,
            arguments: [part.rawValue])
    }
}
