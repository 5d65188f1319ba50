internal import PushConnectors
package import PushModel
package import PushStore
package import PushWire

/// Accepts messages individually, up to 1 000 in one request. When the caller receives the answer, each
/// message is either on disk or refused. See ``MessageDocument`` for the contents of a message.
package struct SendMessages: ChangingOperation, DeferredOperation, KeyedUseCase {
    package static let name = "message.send"
    package static let operation = Operation(
        .post, "/messages", .send,
        """
        Sends a message to one recipient, or up to 1 000 messages in an array. Accepted messages are on disk \
        before the response is sent.
        """,
        .message,
        status: 202, maxBodyBytes: MessageDocument.maximumBytes, reach: .services)
    package static let example =
        #"""
        {"app": "neotrips-ios", "userKey": "anna", "content": {"title": "Your code", "body": "1234"},
        "validity": "10m"}
        """#
    package static let members: [Member<Self>] = [
        // Each message of a list is checked separately. A faulty message is refused in its own item of the
        // answer.
        .document(
            \.document,
            schema: .oneOf([
                MessageDocument.schema(ConnectorCatalogue.contents),
                .list(
                    MessageDocument.schema(ConnectorCatalogue.contents),
                    count: 1...MessageDocument.maxMessages),
            ])),
        .inner(\.caller, "caller", default: ""),
    ]
    package var followUpCommand: String { "delivery list" }
    package func location(of answer: SentMessages) -> String? {
        answer.isList ? nil : answer.messages.first?.devices.first.map { "/messages/\($0.id)" }
    }
    /// `nil`, because a request may contain many messages, and the log contains the result of each message.
    package var auditText: AuditText? { nil }

    /// A message or an array of messages, in JSON.
    package private(set) var document: [UInt8] = []
    package var caller = ""
    /// The key for messages without their own key. For an array, each message's place is added to it.
    package var idempotencyKey: String?

    package init() {}

    package init(document: [UInt8], caller: String, idempotencyKey: String? = nil) {
        self.document = document
        self.caller = caller
        self.idempotencyKey = idempotencyKey
    }

    package func perform(in operations: Operations) throws -> SentMessages {
        var sending = try MessageSending(self, in: operations)
        while let ready = sending.next() {
            guard let intake = operations.store.messageIntake else {
                sending.take(operations.store.accept(ready, at: operations.clock.moment()))
                operations.engine.wakeUp()
                continue
            }
            sending.take(intake.accept(ready))
        }
        return try sending.answer()
    }

    /// The maximum number of messages in a deferred request. A request with more messages takes a long time
    /// to answer, and the thread that reports commits must also answer other requests.
    private static let maxDeferred = 50

    package func begin(
        in operations: Operations, then: @escaping @Sendable (Result<SentMessages, OperationError>) -> Void
    ) {
        do throws(OperationError) {
            let sending: MessageSending
            do { sending = try MessageSending(self, in: operations) } catch {
                throw OperationError(error)
            }
            guard let intake = operations.store.messageIntake, sending.count <= Self.maxDeferred else {
                return then(.success(try operations.carryOut(self)))
            }
            Self.proceed(sending, intake, then)
        } catch {
            then(.failure(error))
        }
    }

    private typealias Completion = @Sendable (Result<SentMessages, OperationError>) -> Void

    private static func proceed(
        _ sending: MessageSending, _ intake: MessageIntake, _ then: @escaping Completion
    ) {
        var sending = sending
        hand(in: sending.next(), sending, intake, then)
    }

    private static func hand(
        in ready: [NewMessage]?, _ sending: MessageSending, _ intake: MessageIntake,
        _ then: @escaping Completion
    ) {
        guard let ready else {
            return then(Result { () throws(OperationError) in try sending.answer() })
        }
        intake.submit(ready) { [sending] results in
            var sending = sending
            sending.take(results)
            proceed(sending, intake, then)
        }
    }

    /// The maximum size, in bytes, of a document that ``beginAtOnce(in:then:)`` reads and checks.
    package static let smallBytes = 8 << 10

    /// Hands in a request on a thread that must not wait. The document must be small, and its message must
    /// not require any reads.
    /// - Returns: `false` if nothing was done; the caller must then use ``begin(in:then:)``.
    package func beginAtOnce(
        in operations: Operations, then: @escaping @Sendable (Result<SentMessages, OperationError>) -> Void
    ) -> Bool {
        guard let intake = operations.store.messageIntake, document.count <= Self.smallBytes,
            var sending = try? MessageSending(self, in: operations, reading: .none), sending.count == 1,
            let ready = try? sending.first()
        else { return false }
        Self.hand(in: ready, sending, intake, then)
        return true
    }
}

/// The result of each message of a request, in the order of the messages.
package struct SentMessages: Described, Codable, Equatable {
    package var messages: [SentMessage]
    /// Whether the request was an array. If not, its only message was accepted.
    package var isList: Bool

    init(_ messages: [SentMessage], isList: Bool) { (self.messages, self.isList) = (messages, isList) }

    package static var schema: Schema {
        .oneOf([
            SentMessage.schema,
            .component("SentMessageList") {
                .object([
                    .init("items", .list(SentMessage.schema)),
                    .init("accepted", .integer, about: "messages that this request added"),
                    .init(
                        "repeated", .integer,
                        about: "messages that an earlier request with the same key added"),
                    .init("refused", .integer, about: "messages that were not accepted"),
                ])
            },
        ])
    }
    package static var sample: Self? { nil }
    package static var example: JSONValue? { SentMessage.example }
    package var json: JSONValue? {
        guard isList || messages.isEmpty else { return messages[0].json }
        func count(_ isCounted: (SentMessage) -> Bool) -> JSONValue {
            .integer(Int64(messages.count(where: isCounted)))
        }
        return [
            "items": messages.json ?? .null, "accepted": count { $0.fault == nil && !$0.isRepeated },
            "repeated": count { $0.fault == nil && $0.isRepeated }, "refused": count { $0.fault != nil },
        ]
    }

    package init(from decoder: any Decoder) throws {
        let list = try? decoder.container(keyedBy: CodingKeys.self).decode([SentMessage].self, forKey: .items)
        (messages, isList) = (try list ?? [SentMessage(from: decoder)], list != nil)
    }

    package func encode(to encoder: any Encoder) throws { try (json ?? .null).encode(to: encoder) }

    private enum CodingKeys: CodingKey { case items }
}

package struct SentMessage: View, Equatable {
    package static let about = [
        "index": "the message's position in the request, starting at 0",
        "delivery": "the delivery to which the message belongs",
        "devices": "one entry for each device; empty if the message was not accepted",
        "isRepeated": "whether this is the response to an earlier request with the same key",
        "fault": "why the message was not accepted; null if it was accepted",
        "reasons": "descriptions of the fault",
        "warnings": "parts of the content that do not reach the device unchanged",
    ]

    /// A message to one device.
    package struct Device: View, Equatable {
        package static let about = [
            "id": "the message's id, for `GET /messages/{id}`",
            "state": "pending, scheduled or excluded; an excluded message is not sent",
            "reason": "why the device is excluded; null if it is not excluded",
        ]

        /// The id with which ``ShowMessage`` finds the message.
        package var id: String
        /// `pending`, `scheduled` if the request has a time of sending, or `excluded` if nothing is sent to
        /// the device.
        package var state: String
        /// The reason why the device is excluded; `nil` if it is not.
        package var reason: String?
    }
    package enum Fault: String, Codable, Word {
        /// The message itself is wrong.
        case refused
        /// No subscriber has this token or user key.
        case noMatch
        /// The idempotency key was used for another message.
        case conflict
        /// Too many messages wait, or the engine is stopping. The message may be accepted later.
        case busy
        /// The store cannot be written now.
        case failed
        /// It is unknown whether the message was accepted. With an idempotency key, the caller can send it
        /// again.
        case unknown
    }

    /// The message's place in the document, starting at 0.
    package var index: Int
    package var delivery: DeliveryID?
    /// One entry for each device; empty if the message was not accepted.
    package var devices: [Device] = []
    /// Whether this is the answer to an earlier request with the same key.
    package var isRepeated = false
    /// The reason why the message was not accepted; `nil` if it was.
    package var fault: Fault?
    /// The reasons as text, one line each.
    package var reasons: [String] = []
    /// Warnings about content that does not reach the device as intended, one line each.
    package var warnings: [String] = []
}

extension SentMessage {
    package static var example: JSONValue? {
        Noun.message.example.flatMap { id in
            [
                "index": .integer(0), "delivery": .integer(1),
                "devices": .array([["id": id, "state": .string("pending"), "reason": .null]]),
                "isRepeated": .boolean(false), "fault": .null, "reasons": .array([]), "warnings": .array([]),
            ]
        }
    }
}

extension SentMessage.Fault {
    var kind: OperationError.Kind {
        switch self {
        case .refused: .refused
        case .noMatch: .noMatch
        case .conflict: .conflict
        case .busy, .failed: .unavailable
        case .unknown: .failed
        }
    }
}

extension SentMessage {
    package init(index: Int, refused error: OperationError) {
        let fault: Fault =
            switch error.kind {
            case .refused, .usage, .malformed, .absent, .forbidden: .refused
            case .noMatch: .noMatch
            case .conflict: .conflict
            case .failed, .unavailable, .cancelled: .failed
            }
        self.init(index: index, fault: fault, reasons: error.apiLines)
    }

    /// The encoded form. To save time, it is created without an encoder: programs send many messages one by
    /// one.
    package var json: JSONValue? {
        [
            "index": index.json ?? .null, "delivery": delivery.json ?? .null,
            "devices": .array(devices.compactMap(\.json)), "isRepeated": .boolean(isRepeated),
            "fault": fault.json ?? .null, "reasons": reasons.json ?? .null,
            "warnings": warnings.json ?? .null,
        ]
    }
}

extension SentMessage.Device {
    package var json: JSONValue? {
        ["id": .string(id), "state": .string(state), "reason": reason.json ?? .null]
    }
}
