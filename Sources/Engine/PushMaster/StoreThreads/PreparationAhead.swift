internal import PushModel
internal import PushStore
internal import PushSystem
internal import Synchronization

/// Queues units of preparation ahead in the write service, so that the next chunk is already waiting while
/// one chunk is committed. Otherwise the writer would be idle between two chunks until two other threads have
/// had their turn.
struct PreparationAhead {
    /// The maximum number of units that are waiting or being written.
    private static let maxAhead = 2

    private let inbox: WriterInbox
    private let turns = Turns()
    private var ahead = 0
    /// The number of units ordered so far, which is also the number of the last unit.
    private var ordered = 0
    /// Whether there may be something to prepare.
    private var isDue = false
    /// The number of the last unit that was ordered before the latest submissions. The results of this unit
    /// and of earlier units do not cover these submissions.
    private var outdated = 0

    init(_ inbox: WriterInbox) { self.inbox = inbox }

    /// Starts preparation, because something may have been submitted or may be due.
    mutating func look() {
        isDue = true
        outdated = ordered
        order()
    }

    mutating func order() {
        while isDue, ahead < Self.maxAhead {
            ahead += 1
            ordered += 1
            submit(ordered)
        }
    }

    mutating func ended(_ end: StoreWriter.PreparationEnd, of unit: Int) {
        ahead -= 1
        switch end {
        case .more: order()
        case .nothing where unit <= outdated: order()
        case .nothing, .failed: isDue = false
        }
    }

    private func submit(_ unit: Int) {
        let (turns, wall, loop, mailbox) = (turns, inbox.wall, inbox.loop, inbox.mailbox)
        inbox.service.submit(.preparation, rows: WriteQueue.maximumRows) { store throws(StoreError) in
            try turns.prepare(store, at: wall())
        } completion: { result in
            switch result {
            case .success(let done):
                let now = Clocks.monotonic()
                let parts = done.compactMap { done in
                    done.step.part.map {
                        PreparedPart(part: $0, priority: done.step.priority, committed: now)
                    }
                }
                if !parts.isEmpty { loop.send(.prepared(parts)) }
                if let said = done.lazy.compactMap(\.step.repairedNumbers).first {
                    loop.send(.numbersRepaired(said))
                }
                let finished = done.filter(\.step.isFinished).map(\.delivery)
                if !finished.isEmpty { loop.send(.finished(finished)) }
                mailbox.send(.prepared(done.isEmpty ? .nothing : .more, of: unit))
            // The delivery that caused the error is now on hold, and other deliveries may need preparation.
            case .failure(.setAside(let error)) where error.delivery != nil:
                mailbox.send(.prepared(.more, of: unit))
            case .failure: mailbox.send(.prepared(.failed, of: unit))
            }
        }
    }

    /// The turns of preparation, used only on the write service's thread. A unit may run twice, in which case
    /// one turn is lost.
    private final class Turns: Sendable {
        private let turns = Mutex(PreparationTurns())

        func prepare(
            _ store: Store, at now: WallMoment
        ) throws(StoreError) -> [(delivery: DeliveryID, step: PreparationStep)] {
            var present = turns.withLock(\.self)
            defer { turns.withLock { $0 = present } }
            return try store.preparation.prepareNext(&present, at: now)
        }
    }
}
