package import PushModel
package import PushStore

/// Nothing more of a delivery is prepared or granted, until ``ResumeDelivery``: what children have not handed
/// to a gateway comes back. Its validity goes on, and ends it as ever. Costs the same however large the
/// delivery is.
///
/// One that is paused already is left as it is. Refuses one that has ended.
package struct PauseDelivery: ChangingOperation {
    package static let name = "delivery.pause"
    package var lookAfterwards: String { "delivery show \(id)" }
    package var auditText: AuditText? { .of("\(id)") }

    package var id: DeliveryID

    package init(id: DeliveryID) { self.id = id }

    package func perform(in operations: Operations) throws -> PausedDelivery {
        let step = try operations.store.pause.pause(id)
        return try operations.paused(id, step, isToBePaused: true)
    }
}

/// A paused delivery is prepared and sent again, from where it was. One that is not paused is left as it is.
/// Refuses one that has ended.
package struct ResumeDelivery: ChangingOperation {
    package static let name = "delivery.resume"
    package var lookAfterwards: String { "delivery show \(id)" }
    package var auditText: AuditText? { .of("\(id)") }

    package var id: DeliveryID

    package init(id: DeliveryID) { self.id = id }

    package func perform(in operations: Operations) throws -> PausedDelivery {
        let step = try operations.store.pause.resume(id)
        return try operations.paused(id, step, isToBePaused: false)
    }
}

/// What came of pausing a delivery, or of letting it go on.
package struct PausedDelivery: View, Equatable {
    package var delivery: DeliveryID
    /// What it is now.
    package var state: DeliveryState
    /// Whether this made it so; else it was so already.
    package var changed: Bool
    /// The end of its validity: paused or not, nothing of it is sent afterwards.
    package var expiresAt: WallTime
}

extension Operations {
    fileprivate func paused(
        _ id: DeliveryID, _ step: PauseStep, isToBePaused: Bool
    ) throws -> PausedDelivery {
        let delivery = try requireDelivery(id)
        if case .unchanged(let state) = step, state.isFinal || state == .stopping {
            let verb = isToBePaused ? "paused" : "resumed"
            throw OperationError.refused(
                "delivery \(id) is \(state.rawValue), and cannot be \(verb); 'delivery show \(id)' has its counts"
            )
        }
        // Also where nothing was changed: who changed it may not have been able to tell.
        engine.pauseChanged(id)
        return PausedDelivery(
            delivery: id, state: delivery.state, changed: step == .changed, expiresAt: delivery.expiresAt)
    }
}
