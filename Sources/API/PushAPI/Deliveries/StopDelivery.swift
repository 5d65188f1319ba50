internal import Glibc
package import PushModel
package import PushStore
internal import PushSystem

/// Pauses a delivery until ``ResumeDelivery``: no further messages are prepared or granted, and children
/// return the messages that they have not handed to a gateway. The delivery's validity keeps running. The
/// cost does not depend on the delivery's size.
///
/// A delivery that is already paused is left unchanged. Refuses a delivery that has ended.
package struct PauseDelivery: Change, UseCase {
    package static let name = "delivery.pause"
    package static let operation = Operation(
        .post, "/deliveries/{id}/pause", .send, "Pauses a delivery. Its validity continues to elapse.")
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

/// Resumes a paused delivery at the point where it was paused. A delivery that is not paused is left
/// unchanged. Refuses a delivery that has ended, and a delivery that is on hold, because none of its messages
/// would be sent.
package struct ResumeDelivery: Change, UseCase {
    package static let name = "delivery.resume"
    package static let operation = Operation(
        .post, "/deliveries/{id}/resume", .send,
        "Resumes a paused delivery at the point where it was paused.")
    package static let members: [Member<Self>] = [.delivery(\.id)]
    package var followUpCommand: String { "delivery show \(id)" }
    package var auditText: AuditText? { .of("\(id)") }

    package private(set) var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package func prepare(in operations: Operations) throws -> Step<PausedDelivery> {
        if let held = try operations.store.repair.hold(of: id) {
            let (word, remedy) =
                held.isRestored
                ? ("HELD", "\(see: ReleaseDeliveries(ids: [id])) lets it continue")
                : (
                    "DAMAGED and held",
                    "\(see: RecountDelivery(id: id)) lets it continue if its counters can be corrected"
                )
            throw OperationError.refused(
                "delivery \(id) is \(word), and cannot be resumed: \(held.why); \(remedy)")
        }
        return try operations.pausing(id, isToBePaused: false)
    }
}

/// The result of pausing or resuming a delivery.
package struct PausedDelivery: View, Equatable {
    package var delivery: DeliveryID
    /// The present state.
    package var state: DeliveryState
    /// Whether this request changed the state. If not, the delivery already had this state.
    package var changed: Bool
    /// The end of the validity, after which no message is sent, whether or not the delivery is paused.
    package var expiresAt: WallTime
}

extension Operations {
    fileprivate func pausing(_ id: DeliveryID, isToBePaused: Bool) throws -> Step<PausedDelivery> {
        let delivery = try requireDelivery(id)
        // The master is notified even if nothing was changed, because the process that paused or resumed the
        // delivery earlier may have been unable to notify the master.
        return Step(effects: { [engine] _ in engine.pauseChanged(id) }) { store in
            let (step, state) = try store.pause.change(id, isToBePaused: isToBePaused)
            if case .unchanged(let state) = step, state.isFinal || state == .stopping {
                let verb = isToBePaused ? "paused" : "resumed"
                throw OperationError.refused(
                    """
                    delivery \(id) is \(state.rawValue), and cannot be \(verb); \
                    \(see: ShowDelivery(id: id)) shows its counts
                    """
                )
            }
            guard let state else { throw Operations.absence(of: id) }
            return PausedDelivery(
                delivery: id, state: state, changed: step == .changed, expiresAt: delivery.expiresAt)
        }
    }
}

/// Ends a delivery permanently. After the answer, no further request for the delivery begins; waiting
/// messages are cancelled, and the delivery ends as stopped. Requests that are at a gateway at that moment
/// are still answered, and their messages count according to the answers. If a master is running, the cost
/// does not depend on the delivery's size, because the master then cancels the waiting messages, a few parts
/// at a time. Otherwise they are cancelled before the answer.
///
/// A delivery that is stopping or stopped is left unchanged, and the answer reports its progress. Refuses a
/// delivery that ended in another way.
package struct StopDelivery: ChangingOperation, WaitingOperation, UseCase {
    package static let name = "delivery.stop"
    package static let operation = Operation(
        .post, "/deliveries/{id}/stop", .send,
        """
        Ends a delivery permanently. After the response, no request for the delivery begins. Waiting \
        messages are cancelled.
        """
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
                """
                delivery \(id) is \(state.rawValue), and cannot be stopped; \(see: ShowDelivery(id: id)) \
                shows its counts
                """
            )
        // No message of the delivery is waiting, so no process has any of its messages.
        case .stopped(isOver: true): operations.engine.pauseChanged(id)
        case .stopped, .unchanged:
            let begun = try operations.engine.withdraw(id)
            onTheWire = begun ?? 0
            let othersSend = try OtherHosts(operations).waitForStop(of: id)
            // Each host cancels its own messages.
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

    /// Cancels all waiting messages. If the cancellations cannot be written, the delivery is put on hold, and
    /// its messages end when its validity ends.
    private func cancelAll(in operations: Operations) throws {
        while true {
            let step = try operations.store.stop.cancelNext(of: id, at: operations.clock.moment())
            if step.isOver || step.ended == 0 { return }
        }
    }
}

/// The result of stopping a delivery.
package struct StoppedDelivery: View, Equatable {
    package var delivery: DeliveryID
    /// `stopping` until no message waits any longer, then `stopped`.
    package var state: DeliveryState
    /// Whether this request stopped the delivery. If not, it was already stopped.
    package var changed: Bool
    /// The number of requests that have begun but have not been answered. Their messages count according to
    /// the answers. If several hosts send, this is the number on the host that received the request.
    package var onTheWire: Int
    /// The number of messages that have been cancelled so far.
    package var cancelled: Int
    /// The number of messages that still have to end: as cancelled, or as failed if they were tried before.
    /// It may include messages whose last answers have not been recorded yet.
    package var toBeCancelled: Int
}

/// Makes the running master withdraw a delivery's messages from its children, and waits for the children. The
/// caller has already stopped the delivery in the store.
package struct WithdrawDelivery: WaitingOperation, UseCase {
    package static let name = "engine.withdraw"
    package static let operation = Operation(
        .post, "/deliveries/{id}/withdraw", .send, "Withdraws a stopped delivery's messages from children.",
        isLocal: true)
    package static let members: [Member<Self>] = [.delivery(\.id)]

    private var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package struct Answer: View, Equatable {
        /// The number of requests that have begun but have not been answered; `nil` if no process is sending.
        package var onTheWire: Int?
    }

    package func perform(in operations: Operations) throws -> Answer {
        Answer(onTheWire: try operations.engine.withdraw(id))
    }
}

/// Hosts other than this one that send from the same store.
struct OtherHosts {
    private let operations: Operations

    /// The maximum time, in seconds, to wait for the other hosts. Each host reports every second. A host that
    /// stops reporting counts as dead after a while.
    static let patienceSeconds: Int64 = 45
    private static let betweenLooksMicroseconds: UInt32 = 50_000

    init(_ operations: Operations) { self.operations = operations }

    var exist: Bool {
        get throws {
            guard let own = try operations.store.hostRegister()?.host else { return false }
            return try !operations.store.hosts.unresponsiveHosts(besides: own).names.isEmpty
        }
    }

    /// Waits until the other hosts no longer begin requests for a delivery that was stopped in the store.
    /// - Returns: Whether there are other hosts.
    /// - Throws: If one of the other hosts does not respond.
    func waitForStop(of delivery: DeliveryID) throws -> Bool {
        guard let own = try operations.store.hostRegister()?.host else { return false }
        var (names, since) = try operations.store.hosts.unresponsiveHosts(besides: own)
        guard !names.isEmpty else { return false }
        let end = Clocks.monotonic().advanced(bySeconds: Self.patienceSeconds)
        while let name = names.first {
            guard Clocks.monotonic() < end else {
                throw OperationError.unconfirmedStop(
                    of: delivery, "host \(name.printable(atMost: 200)) also sends and does not answer")
            }
            usleep(Self.betweenLooksMicroseconds)
            names = try operations.store.hosts.unresponsiveHosts(besides: own, since: since).names
        }
        return true
    }
}

extension OperationError {
    /// Returns the error for a delivery that was stopped in the store if it is unknown whether the children
    /// have been notified.
    package static func unconfirmedStop(of delivery: DeliveryID, _ why: String) -> OperationError {
        .failed(
            "delivery \(delivery) is stopped, but some of its requests may still begin for a moment, because "
                + "\(why); stop it again, and check \(see: ShowStatus.self)")
    }
}
