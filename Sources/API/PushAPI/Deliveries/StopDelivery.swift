internal import Glibc
package import PushModel
package import PushStore
internal import PushSystem

/// Pauses a delivery until ``ResumeDelivery``: no more of it is prepared or granted, and children return what they have
/// not handed to a gateway. Its validity keeps running. The cost does not depend on the delivery's size.
///
/// A delivery that is paused already stays as it is. Refuses a delivery that has ended.
package struct PauseDelivery: Change, UseCase {
    package static let name = "delivery.pause"
    package static let operation = Operation(
        .post, "/deliveries/{id}/pause", .send, "Pauses a delivery. Its validity keeps running.")
    package static let members: [Member<Self>] = [.delivery(\.id)]
    package var followUpCommand: String { "delivery show \(id)" }
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
    package var followUpCommand: String { "delivery show \(id)" }
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
                    "delivery \(id) is \(state.rawValue), and cannot be \(verb); \(see: ShowDelivery(id: id)) has its counts"
                )
            }
            guard let state else { throw OperationError.absent("there is no delivery \(id)") }
            return PausedDelivery(
                delivery: id, state: state, changed: step == .changed, expiresAt: delivery.expiresAt)
        }
    }
}

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
    package var followUpCommand: String { "delivery show \(id)" }
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
                "delivery \(id) is \(state.rawValue), and cannot be stopped; \(see: ShowDelivery(id: id)) has its counts"
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

/// Hosts that send from the same store beside this one.
struct OtherHosts {
    private let operations: Operations

    /// A host says a word each second, and one that is dead is known to be after a while.
    static let patienceSeconds: Int64 = 45
    private static let betweenLooksMicroseconds: UInt32 = 50_000

    init(_ operations: Operations) { self.operations = operations }

    var areThere: Bool {
        get throws {
            guard let own = try operations.store.hostRegister()?.host else { return false }
            return try !operations.store.hosts.disobedient(besides: own).names.isEmpty
        }
    }

    /// Waits until they begin no request of a delivery that was stopped in the store.
    /// - Returns: whether there are others.
    /// - Throws: where one of them says nothing.
    func obeyStop(of delivery: DeliveryID) throws -> Bool {
        guard let own = try operations.store.hostRegister()?.host else { return false }
        var (names, since) = try operations.store.hosts.disobedient(besides: own)
        guard !names.isEmpty else { return false }
        let end = Clocks.monotonic().advanced(bySeconds: Self.patienceSeconds)
        while let name = names.first {
            guard Clocks.monotonic() < end else {
                throw OperationError.unconfirmedStop(
                    of: delivery, "host \(name.printable(atMost: 200)) sends too and does not answer")
            }
            usleep(Self.betweenLooksMicroseconds)
            names = try operations.store.hosts.disobedient(besides: own, since: since).names
        }
        return true
    }
}

extension OperationError {
    /// The delivery is stopped in the store, and nobody knows whether children know it.
    package static func unconfirmedStop(of delivery: DeliveryID, _ why: String) -> OperationError {
        .failed(
            "delivery \(delivery) is stopped, but requests of it may begin for another moment, because \(why): stop "
                + "it again, and look at \(see: ShowStatus.self)")
    }
}
