internal import PushModel
internal import PushStore

/// Which deliveries are paused, as the loop was told. The store is asked after each change, by one thread: so
/// the last word that the loop hears is what the store says, however changes follow one another.
struct PausedDeliveries {
    /// Deliveries that somebody paused or resumed, and that were not looked at since.
    var changed: [DeliveryID] = []
    private var paused: Set<DeliveryID> = []

    /// Looks at what was changed. - Throws: what was not looked at is looked at the next time.
    mutating func look(in store: Store, tell loop: Mailbox<LoopEvent>) throws(StoreError) {
        while let delivery = changed.first {
            if try store.pause.isPaused(delivery) {
                paused.insert(delivery)
                loop.send(.deliveryPaused(delivery))
            } else {
                paused.remove(delivery)
                loop.send(.deliveryResumed(delivery))
            }
            changed.removeFirst()
        }
    }

    /// Finds what nobody told of.
    mutating func lookAtAll(in store: Store, tell loop: Mailbox<LoopEvent>) throws(StoreError) {
        let present = try store.pause.paused()
        for delivery in present.subtracting(paused).sorted() { loop.send(.deliveryPaused(delivery)) }
        for delivery in paused.subtracting(present).sorted() { loop.send(.deliveryResumed(delivery)) }
        paused = present
    }
}
