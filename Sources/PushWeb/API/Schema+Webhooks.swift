internal import PushModel
internal import PushOperations

extension Schema {
    static let webhooks: [(name: String, schema: Schema)] = [
        ("NewWebhook", newWebhook),
        ("ChangedWebhook", changedWebhook),
    ]

    private static let events: Schema = .list(.words(WebhookEventKind.allCases.map(\.name)))

    private static let newWebhook: Schema = .object([
        .init("name", .string),
        .init("url", .string, about: "https://, or http:// on the machine itself"),
        .init("events", events),
        .init("service", .string, isRequired: false, about: "only events of its apps"),
        .init("authorities", .string, isRequired: false, about: "certificates in PEM, for the system's"),
    ])

    private static let changedWebhook: Schema = .object([
        .init("url", .string, isRequired: false),
        .init("events", events, isRequired: false),
        .init("service", .string, isRequired: false, about: "empty: of all services"),
        .init("authorities", .string, isRequired: false, about: "empty: the system's"),
        .init("enabled", .boolean, isRequired: false),
    ])
}
