internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRoute {
    static let webhooks = [
        APIRoute(
            .get, "/webhooks", .admin, "All receivers of events, and how far they have come.",
            answer: .page(of: WebhookView.schema), .done { try $0.list(ListWebhooks()) }),
        APIRoute(
            .post, "/webhooks", .admin,
            "Makes a receiver of events; its secret is in this answer and nowhere else.",
            body: .named("NewWebhook"), mostBodyBytes: bodyWithAuthorities,
            status: .created, answer: NewWebhookSecret.schema,
            .done { call in
                let order = try RequestBody(call.body).read(
                    CreateWebhook.self, allowed: ["name", "url", "events", "service", "authorities"])
                let created = try call.operations.carryOut(order)
                return APIAnswer(
                    try JSONValue(encoding: created),
                    location: "/webhooks/\(APIAddress.encoded(created.webhook.name))")
            }),
        APIRoute(
            .get, "/webhooks/{name}", .admin, "One receiver.", answer: WebhookView.schema,
            .done { try $0.carryOut(ShowWebhook(name: $0.name("name"))) }),
        APIRoute(
            .patch, "/webhooks/{name}", .admin, "Changes what is named; the rest stays.",
            body: .named("ChangedWebhook"), mostBodyBytes: bodyWithAuthorities,
            answer: WebhookView.schema,
            .done { call in
                try call.carryOut(
                    try RequestBody(call.body).read(
                        UpdateWebhook.self, allowed: ["url", "events", "service", "authorities", "enabled"],
                        given: call.given("name")))
            }),
        APIRoute(
            .delete, "/webhooks/{name}", .admin, "The receiver is told nothing more.",
            answer: DeletedWebhook.schema,
            .done { try $0.carryOut(DeleteWebhook(name: $0.name("name"))) }),
        APIRoute(
            .post, "/webhooks/{name}/rotate-secret", .admin,
            "Makes another secret, which is in this answer and nowhere else; that of before signs for a day more.",
            answer: NewWebhookSecret.schema,
            .done { try $0.carryOut(RotateWebhookSecret(name: $0.name("name"))) }),
        APIRoute(
            .post, "/webhooks/{name}/test", .admin,
            "Sends it one event `ping` now and says what it answered; takes up to 15 seconds.",
            answer: TestedWebhook.schema,
            .waiting({ TestWebhook(name: $0.name("name")) })),
    ]

    private static let bodyWithAuthorities = 512 << 10
}
