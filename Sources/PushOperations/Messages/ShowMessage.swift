package import PushModel
internal import PushStore

/// What became of one message, by the id that was given when it was accepted, or that its device got where ids
/// are UUIDs.
package struct ShowMessage: ShortOperation, UseCase {
    package static let name = "message.show"
    package static let operation = Operation(
        .get, "/messages/{id}", .read, "The state of a message.")
    package static let members: [Member<Self>] = [.path(\.id, "id", "The message's id.")]

    package private(set) var id = ""

    package init() {}
    package init(id: String) { self.id = id }

    package func perform(in operations: Operations) throws -> MessageView {
        guard let opaque = OpaqueID(text: id) else {
            throw OperationError.absent(
                "this is not the id of a message; the answer to a message and the log of a delivery contain ids"
            )
        }
        let cipher = MessageIDCipher(key: try operations.key())
        let (delivery, message) = cipher.reveal(opaque)
        guard let status = try operations.store.messageStatus.status(of: message, in: delivery) else {
            throw OperationError.absent(
                "there is no message \(opaque.text); it was removed, or is of another instance")
        }
        return MessageView(status, id: opaque.text, in: delivery)
    }
}

/// A message as it is shown.
package struct MessageView: View, Equatable {
    package var id: String
    package var delivery: DeliveryID
    package var app: String
    package var userKey: String
    package var state: String
    package var attempts: Int
    package var failureType: String?
    package var failureReason: String?
    /// The gateway's own word, or ours.
    package var providerReason: String?
    /// The gateway's own id.
    package var providerId: String?
    /// When it got into this state.
    package var updatedAt: WallTime
    /// When it is tried next; nil: it does not wait for that.
    package var dueAt: WallTime?
    /// After it it is not sent any more.
    package var expiresAt: WallTime

    /// Whether nothing more comes of it.
    package var isFinal: Bool {
        state != MessageState.pending.name && state != MessageState.retrying.name
    }

    init(_ status: MessageStatusReader.MessageStatus, id: String, in delivery: DeliveryID) {
        self.id = id
        self.delivery = delivery
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
        dueAt = status.due
        expiresAt = status.deadline
    }
}
