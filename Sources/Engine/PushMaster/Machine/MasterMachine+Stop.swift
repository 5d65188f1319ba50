internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushWire

/// Deliveries that an operator stops. Children give back the messages that they have not submitted. Messages
/// whose requests have begun are answered and recorded. The writer then ends the messages that wait in the
/// store.
extension MasterMachine {
    /// A delivery that was stopped and has not ended.
    struct Withdrawal: Sendable {
        /// The children that received the order and have not answered.
        var waitsFor: Set<ChildID> = []
        /// When the children received the order.
        var since: MonotonicTime
        /// The number of requests that have begun and have not been answered, as reported by the children.
        var inFlight = 0
        /// Whether a caller is waiting for ``Action/withdrawn(_:inFlight:)``.
        var isAwaited = false
        /// Whether the writer was ordered to end the waiting messages.
        var isCancelling = false
    }

    /// Orders all children that may have messages from the delivery to withdraw it. A repeated call sends the
    /// order again, unless some children have not yet answered the previous order.
    mutating func withdraw(_ delivery: DeliveryID, isAwaited: Bool = false) {
        if stopping[delivery] == nil {
            log(.info, "stopping delivery \(delivery)", about: .delivery(delivery))
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
        continueStop(delivery)
    }

    mutating func withdrawn(_ delivery: DeliveryID, inFlight: Int, by id: ChildID) {
        guard stopping[delivery]?.waitsFor.remove(id) != nil else { return }
        stopping[delivery]?.inFlight += inFlight
        continueStop(delivery)
    }

    /// Records that the child is dead: it begins no further request, and its open requests remain unanswered.
    mutating func endWithdrawals(by id: ChildID) {
        for delivery in stopping.keys.sorted() where stopping[delivery]?.waitsFor.remove(id) != nil {
            continueStop(delivery)
        }
    }

    /// Ends children that do not answer the order to withdraw a delivery. A child that does not answer within
    /// the maximum time of silence is treated like a child that is silent.
    mutating func lookForWithdrawals() {
        for (delivery, withdrawal) in stopping
        where now >= withdrawal.since.advanced(bySeconds: ChildLink.silenceSeconds) {
            for id in withdrawal.waitsFor.sorted() {
                let seconds = ChildLink.silenceSeconds
                let why = "it did not answer the order to withdraw delivery \(delivery) within \(seconds) s"
                lose(id, why: why, isFault: true)
            }
        }
    }

    /// Takes the next step in stopping the delivery.
    mutating func continueStop(_ delivery: DeliveryID) {
        guard let withdrawal = stopping[delivery], withdrawal.waitsFor.isEmpty else { return }
        noteStopped()
        if withdrawal.isAwaited {
            stopping[delivery]?.isAwaited = false
            act(.withdrawn(delivery, inFlight: withdrawal.inFlight))
        }
        // Messages whose requests have begun must first be recorded with their answers.
        guard !withdrawal.isCancelling, !jobs.hasGrants(of: delivery) else { return }
        stopping[delivery]?.isCancelling = true
        write(.cancelStopped(delivery))
    }

    /// Ends the stop: none of the delivery's messages waits any longer.
    mutating func endStop(of delivery: DeliveryID) {
        guard let withdrawal = stopping.removeValue(forKey: delivery), withdrawal.isAwaited else { return }
        act(.withdrawn(delivery, inFlight: withdrawal.inFlight))
    }
}
