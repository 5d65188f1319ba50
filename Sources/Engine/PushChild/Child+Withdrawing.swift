internal import PushModel
internal import PushWire

/// Deliveries that an operator stops: nothing of them begins once that is said.
extension Child {
    /// What was not submitted goes back; what is in flight may finish, and does not go again where its
    /// gateway did not look at it.
    func withdraw(_ delivery: DeliveryID) {
        withdrawn.insert(delivery)
        for queue in queues.values where queue.hasWork {
            giveBack(queue, .stale) { isWithdrawn($0, delivery) }
        }
        // What was handed to connectors is on its way before the answer is.
        flushSubmitted()
        // What is given back is told before: whoever hears the answer knows what is left.
        if outcomes.count > 0 { sendOutcomes() }
        let inFlight = grants.countOpen { isWithdrawn($0.frame.job, delivery) }
        link.send(.withdrawn(delivery, inFlight: UInt32(clamping: inFlight)))
        // Where no job of it is here, no other order would end this.
        forgetIfWithdrawn(delivery)
    }

    /// Its last job has gone: nothing of it will come.
    func forgetIfWithdrawn(_ delivery: DeliveryID) {
        guard withdrawn.contains(delivery), !jobs.values.contains(where: { $0.delivery == delivery }) else {
            return
        }
        withdrawn.remove(delivery)
    }

    /// Whether the message may not be submitted again.
    func isWithdrawn(_ job: JobOrder) -> Bool { !withdrawn.isEmpty && withdrawn.contains(job.delivery) }

    private func isWithdrawn(_ job: JobID, _ delivery: DeliveryID) -> Bool {
        jobs[job]?.delivery == delivery
    }
}
