package import PushModel
internal import PushQueue

/// The result of one call of ``OutcomeWriter/failLost(_:of:at:)-(ClosedRange<MessageID>,_,_)``.
package struct LostStep: Equatable, Sendable {
    /// The number of messages that were still waiting and that this call marked as failed.
    package var failed = 0
    /// Whether the failure of these messages ended the delivery.
    package var isFinished = false
    package init() {}
}

extension OutcomeWriter {
    /// Marks as failed, with the reason "unreachable", those messages granted to a lost child that are still
    /// pending. It is unknown which of them the child sent and which it had given back. An acceptance that is
    /// found later is still recorded.
    /// - Parameter messages: Messages of one part of the delivery.
    package func failLost(
        _ messages: ClosedRange<MessageID>, of delivery: DeliveryID, at now: WallMoment
    ) throws(StoreError) -> LostStep {
        try connection.write("mark lost messages as failed", of: delivery) { db in
            guard let stored = try PartTable(db: db).part(of: messages.lowerBound) else { return LostStep() }
            let lost = MessageSet(stored.part.indices(of: messages), limit: stored.count)
            return try fail([(stored, .pending(lost))], of: delivery, at: now, db)
        }
    }

    /// Marks as failed, with the reason "unreachable", those retries of a lost child that are still due. The
    /// caller lists them individually, because retries do not form a range.
    package func failLost(
        _ messages: [MessageID], of delivery: DeliveryID, at now: WallMoment
    ) throws(StoreError) -> LostStep {
        try connection.write("mark lost messages as failed", of: delivery) { db in
            var lost: [(part: StoredPart, messages: MessageSet)] = []
            for message in messages {
                if let place = lost.firstIndex(where: { $0.part.index(of: message) != nil }) {
                    if let index = lost[place].part.index(of: message) { lost[place].messages.insert(index) }
                } else if let stored = try PartTable(db: db).part(of: message),
                    let index = stored.index(of: message)
                {
                    lost.append((stored, MessageSet([index], limit: stored.count)))
                }
            }
            return try fail(lost.map { ($0.part, .retries($0.messages)) }, of: delivery, at: now, db)
        }
    }

    private func fail(
        _ lost: [(part: StoredPart, messages: PartProgress.Lost)], of delivery: DeliveryID,
        at now: WallMoment,
        _ db: any Session
    ) throws -> LostStep {
        let table = PartTable(db: db)
        var tallies = TallyByApp()
        var step = LostStep()
        let events = EndedEvents(try WantedEvents(db))
        for (part, messages) in lost where part.part.delivery == delivery {
            let done = try table.change(part.part.id, &tallies) { stored in
                var notes: PartNotes?
                if case .retries = messages { notes = try table.notes(of: stored.part.id) }
                return stored.progress.fail(
                    messages, at: now.time, under: stored.progress.generation, notes: notes)
            }
            guard let (before, change) = done, change.isChanged else { continue }
            try events.note(change, of: before)
            step.failed += change.progress.counts.failed - before.progress.counts.failed
        }
        try TallyTable(db: db).add(tallies, of: delivery)
        try events.write(of: delivery, at: now, db)
        if step.failed > 0 { step.isFinished = try DeliveryEnd.finishIfDone(delivery, at: now, db) }
        return step
    }
}
