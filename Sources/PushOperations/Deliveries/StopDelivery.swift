package import PushModel
package import PushStore

/// Ends a delivery for good: from the answer on no request of it begins, what waits is cancelled, and the
/// delivery ends as stopped. What is with a gateway at that moment is answered, and counts as that. Costs
/// the same however large the delivery is where a master runs, which then ends what waits, a few parts at
/// a time; else that is done before the answer.
///
/// One that is being stopped, or was, is left as it is, and the answer says how far it is. Refuses one
/// that ended otherwise.
package struct StopDelivery: ChangingOperation, WaitingOperation, UseCase {
    package static let name = "delivery.stop"
    package static let operation = Operation(
        .post, "/deliveries/{id}/stop", .send,
        "Ends a delivery for good: after the answer none of its requests begins, and what waits is cancelled."
    )
    package static let members: [Member<Self>] = [.delivery(\.id)]
    package var lookAfterwards: String { "delivery show \(id)" }
    package var auditText: AuditText? { .of("\(id)") }

    package private(set) var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package func perform(in operations: Operations) throws -> StoppedDelivery {
        let step = try operations.store.stop.stop(id, at: operations.clock.moment())
        var onTheWire = 0
        switch step {
        case .unknown: _ = try operations.requireDelivery(id)
        case .unchanged(.stopped): break
        case .unchanged(let state) where state != .stopping:
            throw OperationError.refused(
                "delivery \(id) is \(state.rawValue), and cannot be stopped; 'delivery show \(id)' has its counts"
            )
        // Nothing of it waits, so nothing of it is anywhere.
        case .stopped(isOver: true): operations.engine.pauseChanged(id)
        case .stopped, .unchanged:
            let begun = try operations.engine.withdraw(id)
            onTheWire = begun ?? 0
            let othersSend = try OtherHosts(operations).obeyStop(of: id)
            // Each host ends what is its own.
            if begun == nil, !othersSend { try cancelAll(in: operations) }
        }
        let delivery = try operations.requireDelivery(id)
        let waiting = delivery.counts.pending + delivery.counts.retrying
        var hasChanged = false
        if case .stopped = step { hasChanged = true }
        return StoppedDelivery(
            delivery: id, state: delivery.state, changed: hasChanged, onTheWire: onTheWire,
            cancelled: delivery.counts.cancelled, toBeCancelled: max(waiting - onTheWire, 0))
    }

    /// What cannot be written holds the delivery, and ends with its validity.
    private func cancelAll(in operations: Operations) throws {
        while true {
            let step = try operations.store.stop.cancelNext(of: id, at: operations.clock.moment())
            if step.isOver || step.ended == 0 { return }
        }
    }
}

/// What came of stopping a delivery.
package struct StoppedDelivery: View, Equatable {
    package var delivery: DeliveryID
    /// `stopping` until nothing waits any more, then `stopped`.
    package var state: DeliveryState
    /// Whether this stopped it; else it was stopped already.
    package var changed: Bool
    /// Requests that had begun and were not answered: what they are answered counts. Where several hosts send,
    /// of the one that was asked.
    package var onTheWire: Int
    /// Messages that were cancelled until now.
    package var cancelled: Int
    /// Messages that are yet to be cancelled, or to fail where they were tried before; the last answers
    /// may be among them that were not recorded yet.
    package var toBeCancelled: Int
}

/// Has the running master withdraw what its children hold of a delivery, for whoever stopped it in the store
/// himself. Waits for the children.
package struct WithdrawDelivery: WaitingOperation, UseCase {
    package static let name = "engine.withdraw"
    package static let operation = Operation(
        .post, "/deliveries/{id}/withdraw", .send, "Withdraws what children have of a stopped delivery.",
        isLocal: true)
    package static let members: [Member<Self>] = [.delivery(\.id)]

    private var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package struct Answer: View, Equatable {
        /// nil: nobody sends.
        package var onTheWire: Int?
    }

    package func perform(in operations: Operations) throws -> Answer {
        Answer(onTheWire: try operations.engine.withdraw(id))
    }
}
