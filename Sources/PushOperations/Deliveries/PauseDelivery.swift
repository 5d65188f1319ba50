package import PushModel
package import PushStore

/// Pauses a delivery until ``ResumeDelivery``: no more of it is prepared or granted, and children return what they have
/// not handed to a gateway. Its validity keeps running. The cost does not depend on the delivery's size.
///
/// A delivery that is paused already stays as it is. Refuses a delivery that has ended.
package struct PauseDelivery: Change, UseCase {
    package static let name = "delivery.pause"
    package static let operation = Operation(
        .post, "/deliveries/{id}/pause", .send, "Pauses a delivery. Its validity keeps running.")
    package static let members: [Member<Self>] = [.delivery(\.id)]
    package var lookAfterwards: String { "delivery show \(id)" }
    package var auditText: AuditText? { .of("\(id)") }

    package private(set) var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package func prepare(in operations: Operations) throws -> Step<PausedDelivery> {
        try operations.pausing(id, isToBePaused: true)
    }
}

/// Resumes a paused delivery from where it was. A delivery that is not paused stays as it is. Refuses a delivery that has
/// ended.
package struct ResumeDelivery: Change, UseCase {
    package static let name = "delivery.resume"
    package static let operation = Operation(
        .post, "/deliveries/{id}/resume", .send, "Resumes a paused delivery from where it was.")
    package static let members: [Member<Self>] = [.delivery(\.id)]
    package var lookAfterwards: String { "delivery show \(id)" }
    package var auditText: AuditText? { .of("\(id)") }

    package private(set) var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package func prepare(in operations: Operations) throws -> Step<PausedDelivery> {
        try operations.pausing(id, isToBePaused: false)
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
    fileprivate func pausing(_ id: DeliveryID, isToBePaused: Bool) throws -> Step<PausedDelivery> {
        let delivery = try requireDelivery(id)
        // Also if nothing was changed: the process that changed it may have been unable to notify the master.
        return Step(effects: { [engine] _ in engine.pauseChanged(id) }) { store in
            let (step, state) = try store.pause.change(id, isToBePaused: isToBePaused)
            if case .unchanged(let state) = step, state.isFinal || state == .stopping {
                let verb = isToBePaused ? "paused" : "resumed"
                throw OperationError.refused(
                    "delivery \(id) is \(state.rawValue), and cannot be \(verb); 'delivery show \(id)' has its counts"
                )
            }
            guard let state else { throw OperationError.absent("there is no delivery \(id)") }
            return PausedDelivery(
                delivery: id, state: state, changed: step == .changed, expiresAt: delivery.expiresAt)
        }
    }
}
