internal import PushModel
internal import PushWire

/// Deliveries that an operator stops. Once the child has answered the order to withdraw a delivery, it begins
/// no further requests for the delivery's messages.
extension Child {
    /// Gives back the messages that were not submitted. Messages in flight may finish, but are not submitted
    /// again if their gateway did not process them.
    func withdraw(_ delivery: DeliveryID) {
        withdrawn.insert(delivery)
        for queue in queues.values where queue.hasWork {
            giveBack(queue, .stale) { isWithdrawn($0, delivery) }
        }
        // Messages that connectors already hold are sent before the order is answered.
        flushSubmitted()
        // The outcomes of the messages that are given back are sent first, so that when the master receives
        // the answer, it knows which messages are left.
        if outcomes.count > 0 { sendOutcomes() }
        let inFlight = grants.countOpen { isWithdrawn($0.frame.job, delivery) }
        link.send(.withdrawn(delivery, inFlight: UInt32(clamping: inFlight)))
        // If this child has no job of the delivery, no later order would remove the delivery from
        // `withdrawn`.
        forgetIfWithdrawn(delivery)
    }

    /// Forgets the delivery if its last job has been retired, because no further messages of the delivery
    /// arrive.
    func forgetIfWithdrawn(_ delivery: DeliveryID) {
        guard withdrawn.contains(delivery), !jobs.values.contains(where: { $0.delivery == delivery }) else {
            return
        }
        withdrawn.remove(delivery)
    }

    /// Reports whether the message must not be submitted again.
    func isWithdrawn(_ job: JobOrder) -> Bool { !withdrawn.isEmpty && withdrawn.contains(job.delivery) }

    private func isWithdrawn(_ job: JobID, _ delivery: DeliveryID) -> Bool {
        jobs[job]?.delivery == delivery
    }
}
