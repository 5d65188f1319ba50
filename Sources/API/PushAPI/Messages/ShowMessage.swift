package import PushModel
internal import PushStore

/// Shows the result of one message. The id is the one that was returned when the message was accepted, or the
/// one that its device received if ids are UUIDs.
package struct ShowMessage: ShortOperation, UseCase {
    package static let name = "message.show"
    package static let operation = Operation(
        .get, "/messages/{id}", .read, "Returns the state of a message.")
    package static let members: [Member<Self>] = [.path(\.id, "id", "The message's id.")]

    package private(set) var id = ""

    package init() {}
    package init(id: String) { self.id = id }

    package func perform(in operations: Operations) throws -> MessageView {
        let message = try NamedMessage(id, in: operations)
        return MessageView(try message.status(in: operations), id: message.id)
    }
}

/// A message, identified by the id that callers use.
struct NamedMessage {
    /// The id in its only valid spelling.
    let id: String
    let delivery: DeliveryID
    let number: MessageID

    /// - Throws: If the text is not an id.
    init(_ text: String, in operations: Operations) throws {
        guard let opaque = OpaqueID(text: text) else {
            throw OperationError.absent(
                "this is not a message id; responses to messages and the log of a delivery contain ids"
            )
        }
        id = opaque.text
        (delivery, number) = MessageIDCipher(key: try operations.key()).reveal(opaque)
    }

    /// - Throws: If there is no such message.
    func status(in operations: Operations) throws -> MessageStatusReader.MessageStatus {
        if let status = try operations.store.messageStatus.status(of: number, in: delivery) { return status }
        throw OperationError.absent(
            "there is no message \(id); it was removed, or it belongs to another instance")
    }
}

/// A single message, as the API and commands show it.
package struct MessageView: View, Equatable {
    package static let about = [
        "state": "pending, sent, retrying, failed, cancelled or excluded",
        "failureType": "the kind of failure; null if there is none",
        "providerReason": "the gateway's reason code, or PushMTA's own",
        "providerId": "the gateway's id of the message",
        "updatedAt": "when the message reached this state",
        "dueAt": "the time of the next attempt; null if the message is not waiting for a time",
        "expiresAt": "the time after which the message is not sent",
    ]

    package var id: String
    package var delivery: DeliveryID
    package var app: String
    package var userKey: String
    package var state: String
    package var attempts: Int
    package var failureType: String?
    package var failureReason: String?
    /// The gateway's reason, or PushMTA's own.
    package var providerReason: String?
    /// The gateway's own id.
    package var providerId: String?
    /// The time at which the message reached this state.
    package var updatedAt: WallTime
    /// The time before which the message is not sent; `nil` if there is no such time, or if it has passed.
    package var startAt: WallTime?
    /// The time of the next attempt; `nil` if the message does not wait for one.
    package var dueAt: WallTime?
    /// The time after which the message is no longer sent.
    package var expiresAt: WallTime

    /// Whether the result is final.
    package var isFinal: Bool {
        state != MessageState.pending.name && state != MessageState.retrying.name
    }

    init(_ status: MessageStatusReader.MessageStatus, id: String) {
        self.id = id
        delivery = status.delivery
        let entry = status.entry
        app = entry.appName
        userKey = entry.userKey
        state = entry.state.name
        attempts = entry.attempts
        failureType = entry.failureType?.label
        failureReason = entry.failureReason?.label
        providerReason = entry.providerReason
        providerId = entry.providerID
        updatedAt = entry.updatedAt
        startAt = status.start
        dueAt = status.due
        expiresAt = status.deadline
    }
}
