internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRoute {
    static let deliveries = [
        APIRoute(
            .get, "/deliveries", .read, "Deliveries, the newest first.", query: [.number(limit), .cursor],
            answer: .page(of: DeliveryView.schema),
            .done { call in
                let limit = try call.number(limit)
                let before = try call.cursor().map(DeliveryID.init(rawValue:))
                let found = try call.operations.carryOut(ListDeliveries(limit: limit, before: before))
                return APIAnswer(
                    APIAnswer.page(
                        try JSONValue(encoding: found),
                        next: found.count == limit ? found.last.map { "\($0.id)" } : nil))
            }),
        APIRoute(
            .post, "/deliveries", .send, "Submits a delivery document; it is on disk when this is answered.",
            body: .named("DeliveryDocument"), mostBodyBytes: DeliveryDocument.maximumBytes,
            takesKey: true,
            status: .created,
            answer: SubmittedDelivery.schema,
            .done { call in
                let order = SubmitDelivery(
                    document: call.body, documentName: "body", caller: "token \(call.caller)",
                    idempotencyKey: call.idempotencyKey)
                let submitted = try call.operations.carryOut(order)
                return APIAnswer(
                    try JSONValue(encoding: submitted), location: "/deliveries/\(submitted.id)")
            }),
        APIRoute(
            .post, "/deliveries/{id}/recall", .send,
            "Stops it, and sends those who were sent it another content that takes its place on their devices.",
            places: places, body: .object([.init("content", .named("Content"))]),
            mostBodyBytes: DeliveryDocument.maximumBytes, takesKey: true,
            answer: RecalledDelivery.schema,
            .waiting({ call in
                RecallDelivery(
                    id: try call.delivery(), document: call.body, documentName: "body",
                    caller: "token \(call.caller)", idempotencyKey: call.idempotencyKey)
            })),
    ]

    private static let limit = APINumber("limit", in: ListDeliveries.limits, default: 100)
    private static let places = ["id": Schema.integers(1...Int.max)]
}
