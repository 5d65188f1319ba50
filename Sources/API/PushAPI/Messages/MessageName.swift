internal import PushModel
internal import PushStore
internal import PushWire

/// The text by which a caller names a message of any delivery. It is one of these:
///
/// - the message's own id, which is a UUID. If the message ids of an app are UUIDs, `_mId` is the same id;
/// - `apns-id`, which is the message's own id as a UUID of version 8;
/// - an `_mId` that is a number, together with the delivery;
/// - the name that FCM gave to the message. It is known only if `nmac/fcm/@keepMessageIds` is set;
/// - the id that Apple's development gateway gave to the message (`apns-unique-id`), together with the
///   delivery.
struct MessageName {
    private let text: String
    private let delivery: DeliveryID?

    init(_ text: String, of delivery: DeliveryID?) {
        (self.text, self.delivery) = (String(text.filter { !$0.isWhitespace }), delivery)
    }

    private typealias Status = MessageStatusReader.MessageStatus

    /// - Throws: If there is no such message. The error states which kind of id was expected.
    func find(in operations: Operations) throws -> MessageStatusReader.MessageStatus {
        if let delivery { try ReadDeliveryLog(id: delivery).requireMessages(operations) }
        if let id = OpaqueID(text: text) { return try find(id, operations) }
        // A token of APNs may happen to consist of digits only.
        if !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }), IDKind(text) != .token {
            return try number(operations)
        }
        if text.contains("/messages/") || text.contains(":") && text.first?.isNumber == true {
            // Only the last component of FCM's name is kept.
            return try providerID(text.split(separator: "/").last.map(String.init) ?? "", operations)
        }
        throw OperationError.absent(
            IDKind(text) == .token
                ? """
                this looks like the token of a device, not like the id of a message; \
                \(see: ListMessages.self) lists the messages to a device
                """
                : """
                this is not a message id; give the id that was returned when the message was accepted, the \
                _mId and the delivery, or the id of the gateway (apns-id, or the name that FCM returned)
                """)
    }

    // MARK: The message's own id

    private func find(_ id: OpaqueID, _ operations: Operations) throws -> Status {
        let cipher = MessageIDCipher(key: try operations.key())
        for found in [cipher.reveal(id)] + cipher.reveal(apnsID: id) {
            guard
                let status = try operations.store.messageStatus.status(of: found.message, in: found.delivery)
            else { continue }
            guard delivery == nil || delivery == status.delivery else {
                throw OperationError.conflict(
                    "the message belongs to delivery \(status.delivery), not to delivery \(deliveryText)")
            }
            return status
        }
        if delivery != nil, let status = try known(by: text, operations) { return status }
        throw OperationError.absent(
            "there is no message \(id.text); it was removed, or it belongs to another instance")
    }

    private var deliveryText: String { delivery.map { "\($0)" } ?? "" }

    // MARK: An `_mId` that is a number

    private func number(_ operations: Operations) throws -> Status {
        guard let delivery else {
            throw OperationError.absent(
                """
                this is a number, not a message id: an _mId that is a number needs its delivery (_dId); add \
                \(command: "--delivery ID", api: "the parameter delivery")
                """)
        }
        if let stored = try operations.store.deliveries.delivery(delivery), !stored.order.tracking {
            throw OperationError.absent(
                """
                delivery \(delivery) was sent with "tracking": false, so its messages have no _mId; \
                \(see: ReadDeliveryLogPage.self) lists its messages
                """)
        }
        let directory = HitDirectory(
            operations.store.hitReader, MessageIDCipher(key: try operations.key()))
        let hit = UInt64(text).map {
            TrackingHit(message: .integer($0), delivery: delivery, kind: .received)
        }
        if let hit, let found = try directory.find(hit, at: operations.clock.moment()),
            let status = try operations.store.messageStatus.status(of: found.message, in: delivery)
        {
            return status
        }
        throw OperationError.absent(
            """
            delivery \(delivery) has no message with this _mId; an _mId counts only within its own delivery \
            (_dId), so check both
            """)
    }

    // MARK: The gateway's id

    private func providerID(_ id: String, _ operations: Operations) throws -> Status {
        if let status = try known(by: id, operations) { return status }
        let place =
            delivery.map { "in delivery \($0)" }
            ?? "in the newest \(MessageStatusReader.partsSearched) parts of deliveries"
        let advice = delivery == nil ? "; add the delivery to search all of its messages" : ""
        throw OperationError.absent(
            """
            no message \(place) has this id of the gateway; FCM's ids are kept only while \
            nmac/fcm/@keepMessageIds is true\(advice)
            """)
    }

    private func known(by providerID: String, _ operations: Operations) throws -> Status? {
        let reader = operations.store.messageStatus
        guard let found = try reader.message(providerID: providerID, in: delivery) else { return nil }
        return try reader.status(of: found.message, in: found.delivery)
    }
}

/// What a text that a caller typed looks like. It is used only to explain that another kind was expected.
enum IDKind: Equatable {
    case message, token, other

    /// The least number of characters of a token of APNs and of FCM.
    private static let (leastHexDigits, leastOfFCM) = (64, 100)

    init(_ text: String) {
        let digits = text.filter { !$0.isWhitespace && $0 != "<" && $0 != ">" }
        if OpaqueID(text: text) != nil {
            self = .message
        } else if digits.count >= Self.leastHexDigits && digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
            || text.count >= Self.leastOfFCM && text.contains(":")
        {
            self = .token
        } else {
            self = .other
        }
    }
}
