internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRoute {
    static let messages = [
        APIRoute(
            .post, "/messages", .send,
            "Sends a message to one recipient, or up to 1 000 of an array; on disk when this is answered.",
            // Each of a list is looked at by itself: one that is no message is refused in its own item.
            body: .oneOf([.named("NewMessage"), .list(.any)]),
            mostBodyBytes: MessageDocument.maximumBytes, takesKey: true,
            status: .accepted,
            answer: .oneOf([
                SentMessage.schema, .object([.init("items", .list(SentMessage.schema))]),
            ]),
            kind: .message,
            .told(
                atOnce: { call, then in
                    order(of: call).sendAtOnce(in: call.operations) { told($0, to: call, then) }
                },
                otherwise: { call, then in
                    order(of: call).send(in: call.operations) { told($0, to: call, then) }
                }))
    ]

    private static func order(of call: APICall) -> SendMessages {
        SendMessages(
            document: call.body, caller: "token \(call.caller)", idempotencyKey: call.idempotencyKey)
    }

    private static func told(
        _ result: Result<SentMessages, OperationError>, to call: APICall, _ then: Then
    ) {
        then(Result { try answer(to: call, try result.get()) })
    }

    /// An array's messages have each their own end; of a single one it is the request's.
    private static func answer(to call: APICall, _ sent: SentMessages) throws -> APIAnswer {
        let isArray = call.body.first { !Self.isSpace($0) } == UInt8(ascii: "[")
        guard let only = sent.messages.first, !isArray else {
            let items = JSONMember(key: "items", value: .array(sent.messages.compactMap(\.json)))
            return APIAnswer(.object([items]))
        }
        guard let fault = only.fault else {
            return APIAnswer(
                only.json ?? .null, location: only.devices.first.map { "/messages/\($0.id)" })
        }
        throw APIProblem(status(of: fault), lines: only.reasons)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func status(of fault: SentMessage.Fault) -> HTTPResponse.Status {
        switch fault {
        case .refused: .unprocessableContent
        case .nobody: .notFound
        case .conflict: .conflict
        case .busy, .failed: .serviceUnavailable
        case .unknown: .internalServerError
        }
    }
}
