internal import PushModel
internal import PushStore

/// Which deliveries are paused or stopped, and which accounts' waits an operator ends, as the loop was told. The
/// store is asked after each change, by one thread: so the last word that the loop hears is what the store says,
/// however changes follow one another.
struct PausedDeliveries {
    /// Deliveries that somebody paused, resumed or stopped, and that were not looked at since.
    var changed: [DeliveryID] = []
    private var paused: Set<DeliveryID> = []
    /// ``WorkReader/changeNumber()`` as it was when all were looked at; nil: not yet.
    private var seen: Int64?
    /// Up to where orders of accounts' resumptions were read.
    private var resumeOrders = ResumeOrderPlace()

    /// Looks at what was changed. - Throws: what was not looked at is looked at the next time.
    mutating func look(in store: Store, tell loop: Mailbox<LoopEvent>) throws(StoreError) {
        while let delivery = changed.first {
            let state = try store.pause.state(of: delivery)
            if state == .paused { paused.insert(delivery) } else { paused.remove(delivery) }
            switch state {
            case .paused: loop.send(.deliveryPaused(delivery))
            case .stopping: loop.send(.deliveryStopped(delivery))
            // Nothing of it waited.
            case .stopped: loop.send(.finished([delivery]))
            default: loop.send(.deliveryResumed(delivery))
            }
            changed.removeFirst()
        }
    }

    /// Finds what other processes changed in the store without notifying this one, and has the loop look for their
    /// parts. Costs one row if nothing was changed.
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

    /// Finds all that are paused or stopped, and tells the loop of each that is news.
    mutating func lookAtAll(in store: Store, tell loop: Mailbox<LoopEvent>) throws(StoreError) {
        // In this order: one that is stopped in between is in both, and not taken for one that goes on.
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
