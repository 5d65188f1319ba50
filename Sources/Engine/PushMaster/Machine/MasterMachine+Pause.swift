internal import Logging
internal import PushModel
internal import PushSchedule

/// Deliveries that an operator pauses, and lets go on.
extension MasterMachine {
    /// What children have not handed to a gateway comes back. An account is recalled as a whole: what is of
    /// other deliveries is granted again at once.
    mutating func pause(_ delivery: DeliveryID) {
        guard !ledger.isPaused(delivery) else { return }
        log(.info, "delivery \(delivery) is paused", about: .delivery(delivery))
        obey(ledger.handle(.deliveryPaused(delivery), at: now))
        for account in jobs.accountsWithGrants(of: delivery) { recall(account) }
    }

    /// The search begins anew also where nobody heard of a pause: one that was over so soon may have hidden
    /// parts from it all the same.
    mutating func resume(_ delivery: DeliveryID) {
        // The news of it is older than the stop.
        guard stopping[delivery] == nil else { return }
        if ledger.isPaused(delivery) {
            log(.info, "delivery \(delivery) goes on", about: .delivery(delivery))
        }
        obey(ledger.handle(.deliveryResumed(delivery), at: now))
        lookForParts(fromStart: true)
    }
}
