internal import Logging
internal import PushModel
internal import PushSchedule

/// Deliveries that an operator pauses and resumes.
extension MasterMachine {
    /// Pauses a delivery and recalls messages that children have not handed to a gateway. An account is
    /// recalled as a whole; messages from other deliveries are granted again immediately.
    mutating func pause(_ delivery: DeliveryID) {
        guard !ledger.isPaused(delivery) else { return }
        log(.info, "delivery \(delivery) is paused", about: .delivery(delivery))
        obey(ledger.handle(.deliveryPaused(delivery), at: now))
        for account in jobs.accountsWithGrants(of: delivery) { recall(account) }
    }

    /// Resumes a delivery. The search starts again even if this host was not notified of the pause, because
    /// even a short pause may have hidden parts from the search.
    mutating func resume(_ delivery: DeliveryID) {
        // The delivery was stopped after this notification was sent.
        guard stopping[delivery] == nil else { return }
        if ledger.isPaused(delivery) {
            log(.info, "delivery \(delivery) was resumed", about: .delivery(delivery))
        }
        obey(ledger.handle(.deliveryResumed(delivery), at: now))
        lookForParts(fromStart: true)
    }
}
