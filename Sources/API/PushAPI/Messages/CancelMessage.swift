internal import Glibc
package import PushModel
package import PushStore
internal import PushSystem

/// Cancels a waiting message. After the answer, no request for the message begins. A message that is being
/// sent, or that has ended in another way, is refused as a conflict. A message that was cancelled by an
/// earlier request remains cancelled.
package struct CancelMessage: ChangingOperation, WaitingOperation, UseCase {
    package static let name = "message.cancel"
    package static let operation = Operation(
        .post, "/messages/{id}/cancel", .send,
        "Cancels a waiting message. Returns 409 if the message is being sent or has ended in another way.",
        reach: .services)
    package static let members: [Member<Self>] = [.path(\.id, "id", "The message's id.")]
    package var followUpCommand: String { "message show \(id)" }
    package var auditText: AuditText? { .of(id) }

    package private(set) var id = ""

    package init() {}
    package init(id: String) { self.id = id }

    /// The maximum time, in seconds, to wait for the end of a request that has begun.
    private static let patienceSeconds: Int64 = 3
    private static let betweenLooksMicroseconds: UInt32 = 50_000

    package func perform(in operations: Operations) throws -> CancelledMessage {
        let message = try NamedMessage(id, in: operations)
        let step = try operations.store.messageCancellation.cancel(
            message.number, in: message.delivery, at: operations.clock.moment())
        var (hasChanged, otherHost) = (false, false)
        switch step {
        case .unknown: _ = try message.status(in: operations)
        case .unchanged: break
        case .cancelled(let host):
            hasChanged = true
            otherHost = try host != nil && host != operations.store.hostRegister()?.host
        }
        // The message's request may have been ordered before its cancellation was stored.
        let end = Clocks.monotonic().advanced(bySeconds: Self.patienceSeconds)
        while true {
            let maySend = try otherHost || Self.maySend(message, in: operations)
            let state = try message.status(in: operations).entry.state
            guard state == .cancelled else {
                throw OperationError.conflict(
                    "message \(message.id) cannot be cancelled: it is \(state.name)")
            }
            guard maySend else {
                return CancelledMessage(
                    id: message.id, delivery: message.delivery, state: state, changed: hasChanged)
            }
            guard Clocks.monotonic() < end else {
                throw OperationError.conflict(
                    """
                    message \(message.id) is being sent; it ends as sent if its gateway accepts it, and \
                    otherwise as cancelled
                    """
                )
            }
            usleep(Self.betweenLooksMicroseconds)
        }
    }

    private static func maySend(_ message: NamedMessage, in operations: Operations) throws -> Bool {
        do { return try operations.engine.maySend(message.number) == true } catch {
            throw OperationError.failed(
                "message \(message.id) is cancelled, but one of its requests may still begin for a moment, "
                    + "because \(error); cancel it again, and check \(see: ShowStatus.self)")
        }
    }
}

package struct CancelledMessage: View, Equatable {
    package static let about = [
        "changed": "whether this request cancelled the message; false if it was already cancelled"
    ]

    package var id: String
    package var delivery: DeliveryID
    package var state: MessageState
    package var changed: Bool
}

/// Asks the running master whether it is possible that a child has a message that was cancelled in the store.
package struct FindMessage: WaitingOperation, UseCase {
    package static let name = "engine.find"
    package static let operation = Operation(
        .post, "/messages/numbers/{number}/find", .send,
        "Reports whether a child may have a cancelled message.",
        isLocal: true)
    package static let members: [Member<Self>] = [
        .path(\.number, "number", "The message's number.", in: 1...Int.max)
    ]

    private var number: Int64 = 1

    package init() {}
    package init(number: MessageID) { self.number = number.rawValue }

    package struct Answer: View, Equatable {
        /// Whether it is possible that a child has the message; `nil` if no process is sending.
        package var maySend: Bool?
    }

    package func perform(in operations: Operations) throws -> Answer {
        Answer(maySend: try operations.engine.maySend(MessageID(rawValue: number)))
    }
}
