internal import PushModel
internal import PushStore

/// Reports to the loop which deliveries are paused or stopped, and which accounts an operator wants to be
/// tried again immediately. One thread queries the store after each change, so the last report to the loop is
/// always the state in the store, in whatever sequence the changes arrive.
struct PausedDeliveries {
    /// Deliveries that were paused, resumed or stopped and have not been checked since.
    var changed: [DeliveryID] = []
    private var paused: Set<DeliveryID> = []
    /// ``WorkReader/changeNumber()`` at the last check of all deliveries; `nil` if there has been no such
    /// check yet.
    private var seen: Int64?
    /// The position up to which orders to resume accounts have been read.
    private var resumeOrders = ResumeOrderPlace()

    /// Checks the changed deliveries.
    /// - Throws: The store's error. Deliveries that were not checked are checked the next time.
    mutating func look(in store: Store, tell loop: Mailbox<LoopEvent>) throws(StoreError) {
        while let delivery = changed.first {
            let state = try store.pause.state(of: delivery)
            if state == .paused { paused.insert(delivery) } else { paused.remove(delivery) }
            switch state {
            case .paused: loop.send(.deliveryPaused(delivery))
            case .stopping: loop.send(.deliveryStopped(delivery))
            // None of the delivery's messages was waiting, so it has ended.
            case .stopped: loop.send(.finished([delivery]))
            default: loop.send(.deliveryResumed(delivery))
            }
            changed.removeFirst()
        }
    }

    /// Finds changes that other processes made in the store without notifying this one, and lets the loop
    /// search for the parts concerned. Reads one row if nothing was changed.
    mutating func poll(_ store: Store, tell loop: Mailbox<LoopEvent>) throws(StoreError) {
        let number = try store.work.changeNumber()
        let hasChanged = number != seen
        if hasChanged {
            try lookAtAll(in: store, tell: loop)
            let orders = try store.audit.resumeOrders(after: &resumeOrders)
            if !orders.isEmpty { loop.send(.accountsResumed(orders)) }
        }
        seen = number
        loop.send(.polled(hasChanged: hasChanged))
    }

    /// Finds all deliveries that are paused or stopped, and reports each newly found delivery to the loop.
    mutating func lookAtAll(in store: Store, tell loop: Mailbox<LoopEvent>) throws(StoreError) {
        // With this sequence of queries, a delivery that is stopped between them is in both sets and is not
        // mistaken for a resumed delivery.
        let present = try store.pause.paused()
        let stopping = try store.stop.stopping()
        for delivery in present.subtracting(paused).sorted() { loop.send(.deliveryPaused(delivery)) }
        for delivery in paused.subtracting(present).subtracting(stopping).sorted() {
            loop.send(.deliveryResumed(delivery))
        }
        for delivery in stopping.sorted() { loop.send(.deliveryStopped(delivery)) }
        paused = present
    }
}
