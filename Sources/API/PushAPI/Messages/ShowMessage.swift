package import PushModel
internal import PushStore

/// Shows the result of one message of any delivery. See ``MessageName`` for the ids by which callers may name
/// it.
package struct ShowMessage: ShortOperation, UseCase {
    package static let name = "message.show"
    package static let operation = Operation(
        .get, "/messages/{id}", .read,
        "Returns the state of a message, and what its device reported.", reach: .services)
    package static let members: [Member<Self>] = [
        .path(
            \.id, "id",
            """
            The message's id: the id that was returned when the message was accepted, `_mId` together with \
            `delivery`, or the gateway's id.
            """),
        .query(
            \.delivery, "delivery",
            "The message's delivery (`_dId`). An `_mId` that is a number is unique only within its delivery.",
            in: 1...Int.max),
    ]

    package private(set) var id = ""
    package private(set) var delivery: DeliveryID?

    package init() {}
    package init(id: String, delivery: DeliveryID? = nil) { (self.id, self.delivery) = (id, delivery) }

    package func perform(in operations: Operations) throws -> MessageView {
        let status = try MessageName(id, of: delivery).find(in: operations)
        return MessageView(status, by: MessageIDCipher(key: try operations.key()))
    }
}

/// A message, identified by its own id.
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
        if operations.bounds.areSet { _ = try status(in: operations) }
    }

    /// - Throws: If there is no such message.
    func status(in operations: Operations) throws -> MessageStatusReader.MessageStatus {
        if let status = try operations.store.messageStatus.status(of: number, in: delivery) { return status }
        throw OperationError.absent(
            "there is no message \(id); it was removed, or it belongs to another instance")
    }
}

/// The state of a message, as callers see it. A pending message whose time has not come is `scheduled`.
package enum MessageViewState: String, Codable, Word {
    case pending, scheduled, retrying, sent, failed, cancelled, excluded

    init(_ state: MessageState, start: WallTime?) {
        self =
            switch state {
            case .pending: start == nil ? .pending : .scheduled
            case .retrying: .retrying
            case .sent: .sent
            case .failed: .failed
            case .cancelled: .cancelled
            case .excluded: .excluded
            }
    }

    /// The state in the store, and whether the message waits for its time; `nil` if this does not matter.
    var stored: (state: MessageState, isScheduled: Bool?) {
        switch self {
        case .pending: (.pending, false)
        case .scheduled: (.pending, true)
        case .retrying: (.retrying, nil)
        case .sent: (.sent, nil)
        case .failed: (.failed, nil)
        case .cancelled: (.cancelled, nil)
        case .excluded: (.excluded, nil)
        }
    }

    var isFinal: Bool { self != .scheduled && stored.state.isFinal }
}

/// A message, as the API and commands show it.
package struct MessageView: View, Equatable {
    package static let about = [
        "label": "the delivery's label",
        "state": "\(MessageViewState.words.joined(separator: ", "))",
        "failureType": "the kind of failure; null if there is none",
        "providerReason": "the gateway's reason code, or PushMTA's own",
        "providerId": "the gateway's id of the message",
        "updatedAt": "when the message reached this state",
        "sendAt": "the time at which a scheduled message is sent; null if the message is not scheduled",
        "dueAt": "the time of the next attempt; null if the message is not waiting for a time",
        "expiresAt": "the time after which the message is not sent",
    ].merging(MessageLogRow.aboutReports) { $1 }

    package var id: String
    package var messageId: String?
    package var delivery: DeliveryID
    package var label: String
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
    package var sendAt: WallTime?
    /// The time of the next attempt; `nil` if the message does not wait for one.
    package var dueAt: WallTime?
    /// The time after which the message is no longer sent.
    package var expiresAt: WallTime
    /// The time of the device's first report; `nil` if it reported nothing.
    package var receivedAt: WallMoment?
    /// The time of the first reported click; `nil` if no click was reported.
    package var clickedAt: WallMoment?
    package var clicks: Int

    /// Whether the result is final.
    package var isFinal: Bool {
        MessageViewState(word: state)?.isFinal ?? true
    }

    /// - Parameter cipher: The cipher that creates the messages' ids.
    init(_ status: MessageStatusReader.MessageStatus, by cipher: MessageIDCipher) {
        delivery = status.delivery
        label = status.label
        let entry = status.entry
        id = cipher.opaqueID(of: entry.message, in: delivery).text
        messageId =
            status.isTracked
            ? cipher.deviceID(of: entry.message, entry.ordinal, entry.messageIDFormat, in: delivery) : nil
        app = entry.appName
        userKey = entry.userKey
        state = MessageViewState(entry.state, start: status.start).word
        attempts = entry.attempts
        failureType = entry.failureType?.label
        failureReason = entry.failureReason?.label
        providerReason = entry.providerReason
        providerId = entry.providerID
        updatedAt = entry.updatedAt
        sendAt = status.start
        dueAt = status.due
        expiresAt = status.deadline
        receivedAt = entry.hits?.received
        clickedAt = entry.hits?.clicked
        clicks = entry.hits?.clicks ?? 0
    }
}
