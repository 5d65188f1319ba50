internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushWire

/// Deliveries that an operator stops: children give back what they hold of it; what they have begun is
/// answered and recorded; then the writer ends what waits in the store.
extension MasterMachine {
    /// A delivery that is stopped and has not ended.
    struct Withdrawal: Sendable {
        /// Children that were asked and have not answered.
        var waitsFor: Set<ChildID> = []
        /// Since when.
        var since: MonotonicTime
        /// Requests that had begun and were not answered, as children said.
        var inFlight = 0
        /// Somebody waits for ``Action/withdrawn(_:inFlight:)``.
        var isAwaited = false
        /// The writer was told to end what waits.
        var isCancelling = false
    }

    /// Asks all children that may hold something of it. Said again, it asks again, unless answers are
    /// missing still.
    mutating func withdraw(_ delivery: DeliveryID, isAwaited: Bool = false) {
        if stopping[delivery] == nil {
            log(.info, "delivery \(delivery) is being stopped", about: .delivery(delivery))
            obey(ledger.handle(.deliveryPaused(delivery), at: now))
        }
        var withdrawal = stopping[delivery] ?? Withdrawal(since: now)
        withdrawal.isAwaited = withdrawal.isAwaited || isAwaited
        withdrawal.isCancelling = false
        if withdrawal.waitsFor.isEmpty {
            (withdrawal.since, withdrawal.inFlight) = (now, 0)
            let numbers = jobs.numbers(of: delivery)
            for id in children.keys.sorted()
            where isConnected(id) && children[id]?.knownJobs.isDisjoint(with: numbers) == false {
                withdrawal.waitsFor.insert(id)
                send(.withdraw(delivery), to: id)
            }
        }
        stopping[delivery] = withdrawal
        goOnStopping(delivery)
    }

    mutating func withdrawn(_ delivery: DeliveryID, inFlight: Int, by id: ChildID) {
        guard stopping[delivery]?.waitsFor.remove(id) != nil else { return }
        stopping[delivery]?.inFlight += inFlight
        goOnStopping(delivery)
    }

    /// It is dead: it begins nothing, and what it had begun nobody answers.
    mutating func endWithdrawals(by id: ChildID) {
        for delivery in stopping.keys.sorted() where stopping[delivery]?.waitsFor.remove(id) != nil {
            goOnStopping(delivery)
        }
    }

    /// One that does not do as it is told for as long as a child may be silent is as stuck as one that is.
    mutating func lookForWithdrawals() {
        for (delivery, withdrawal) in stopping
        where now >= withdrawal.since.advanced(bySeconds: ChildLink.silenceSeconds) {
            for id in withdrawal.waitsFor.sorted() {
                let seconds = ChildLink.silenceSeconds
                let why = "it did not answer the order to withdraw delivery \(delivery) in \(seconds) s"
                lose(id, why: why, isFault: true)
            }
        }
    }

    /// What is to be done about it now.
    mutating func goOnStopping(_ delivery: DeliveryID) {
        guard let withdrawal = stopping[delivery], withdrawal.waitsFor.isEmpty else { return }
        noteObedience()
        if withdrawal.isAwaited {
            stopping[delivery]?.isAwaited = false
            act(.withdrawn(delivery, inFlight: withdrawal.inFlight))
        }
        // What is begun is to be recorded as what it was answered.
        guard !withdrawal.isCancelling, !jobs.hasGrants(of: delivery) else { return }
        stopping[delivery]?.isCancelling = true
        write(.cancelStopped(delivery))
    }

    /// Nothing of it waits any more.
    mutating func endStop(of delivery: DeliveryID) {
        guard let withdrawal = stopping.removeValue(forKey: delivery), withdrawal.isAwaited else { return }
        act(.withdrawn(delivery, inFlight: withdrawal.inFlight))
    }
}
