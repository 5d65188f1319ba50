internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

/// What is asked of a delivery before it goes out.
extension APIRoute {
    static let analysis = [
        APIRoute(
            .post, "/deliveries/dry-run", .read,
            "What submitting this document would do; nothing is stored, and all of the target is read.",
            body: .map(.any), mostBodyBytes: DeliveryDocument.maximumBytes,
            answer: DryRunView.schema, kind: .lengthy,
            .done { call in
                try oneDryRun.alone {
                    try call.carryOut(DryRunDelivery(document: call.body, documentName: "body"))
                }
            }),
        APIRoute(
            .post, "/deliveries/preview", .read,
            "What one device, or one person's devices, would get of this document; nothing is stored.",
            body: .object(
                [
                    .init("document", .map(.any)), .init("token", .string, isRequired: false),
                    .init("userKey", .string, isRequired: false), .init("app", .string, isRequired: false),
                ], oneOfEach: [["token", "userKey"]]),
            mostBodyBytes: mostBodyBytes, answer: DeliveryPreviewView.schema, kind: .read,
            .done { call in
                let body = try RequestBody(call.body)
                let asked = try body.read(
                    Subscriber.self, allowed: ["document", "token", "userKey", "app"])
                return try call.carryOut(
                    PreviewDelivery(
                        document: try document(of: body), documentName: "document", who: try asked.who,
                        app: asked.app))
            }),
        APIRoute(
            .post, "/deliveries/proof", .send,
            "Sends this document now to a few user keys, as a delivery of its own.",
            body: .object([.init("document", .map(.any)), .init("userKeys", .list(.string))]),
            mostBodyBytes: mostBodyBytes, status: .created, answer: SubmittedDelivery.schema,
            .done { call in
                let body = try RequestBody(call.body)
                let keys = try body.read(People.self, allowed: ["document", "userKeys"]).userKeys
                let submitted = try call.operations.carryOut(
                    ProofDelivery(
                        document: try document(of: body), documentName: "document", userKeys: keys))
                return APIAnswer(
                    try JSONValue(encoding: submitted), location: "/deliveries/\(submitted.id)")
            }),
    ]

    /// A dry run takes the longer the larger its target is, and one of the threads for lengthy work.
    private static let oneDryRun = OneAtATime(
        busy: "another dry run is under way; try again when it is done")

    /// A document, and whom it is for beside it.
    private static let mostBodyBytes = DeliveryDocument.maximumBytes + smallBody

    private static func document(of body: RequestBody) throws(OperationError) -> [UInt8] {
        guard let value = body["document"], value != .null else { throw .refused("document: missing") }
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return bytes
    }

    private struct Subscriber: Decodable {
        var token: String?
        var userKey: String?
        var app: String?

        var who: SubscriberName {
            get throws(OperationError) {
                switch (token, userKey) {
                case (let token?, nil): return .token(token)
                case (nil, let key?): return .userKey(key)
                default: throw .refused("give one of token and userKey")
                }
            }
        }
    }

    private struct People: Decodable {
        var userKeys: [String]
    }
}
