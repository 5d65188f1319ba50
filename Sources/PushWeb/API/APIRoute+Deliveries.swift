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
            .get, "/deliveries/{id}", .read, "What was asked for, counts, reasons, what it waits for.",
            places: places, query: [.flag("duplicates")], asksMaster: true, answer: DeliveryDetails.schema,
            .done { call in
                try call.carryOut(
                    ShowDelivery(id: try call.delivery(), countsDuplicates: try call.flag("duplicates")))
            }),
        APIRoute(
            .post, "/deliveries/{id}/pause", .send, "Nothing more of it is sent; its validity goes on.",
            places: places, answer: PausedDelivery.schema,
            .done { try $0.carryOut(PauseDelivery(id: try $0.delivery())) }),
        APIRoute(
            .post, "/deliveries/{id}/resume", .send, "It goes on from where it was.", places: places,
            answer: PausedDelivery.schema,
            .done { try $0.carryOut(ResumeDelivery(id: try $0.delivery())) }),
        APIRoute(
            .post, "/deliveries/{id}/stop", .send,
            "Ends it for good: once this is answered no request of it begins, and what waits is cancelled.",
            answer: StoppedDelivery.schema,
            .waiting({ StopDelivery(id: try $0.delivery()) })),
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
        APIRoute(
            .post, "/deliveries/{id}/recount", .send, "Makes its counters what its messages say.",
            places: places, answer: RecountView.schema, kind: .lengthy,
            .done { try $0.carryOut(RecountDelivery(id: try $0.delivery())) }),
        APIRoute(
            .post, "/deliveries/{id}/release", .send,
            "Lets a delivery go on that is held since a backup was restored.",
            places: places, answer: ReleasedDeliveries.schema,
            .done { try $0.carryOut(ReleaseDeliveries(ids: [try $0.delivery()])) }),
        APIRoute(
            .post, "/deliveries/{id}/retry-failed", .send,
            "Sends again what failed, or failed for one reason.", places: places,
            body: .object([.init("reason", .string, isRequired: false)]), needsBody: false,
            answer: RetriedFailures.schema,
            .long { call in
                let body = call.body.isEmpty ? RequestBody() : try RequestBody(call.body)
                let reason = try body.read(Reason.self, allowed: ["reason"]).reason
                return RetryFailed(id: try call.delivery(), reason: reason)
            }),
    ]

    private static let limit = APINumber("limit", in: ListDeliveries.limits, default: 100)
    private static let places = ["id": Schema.integers(1...Int.max)]

    private struct Reason: Decodable {
        var reason: String?
    }
}
