internal import PushModel
internal import PushOperations

extension Schema {
    static let webhooks: [(name: String, schema: Schema)] = [
        ("Webhook", webhook),
        ("NewWebhook", newWebhook),
        ("ChangedWebhook", changedWebhook),
        ("WebhookSecret", .object([.init("webhook", .named("Webhook")), .init("secret", .string)])),
    ]

    private static let events: Schema = .list(.words(WebhookEventKind.allCases.map(\.name)))

    private static let webhook: Schema = .object([
        .init("name", .string),
        .init("url", .string),
        .init("events", events),
        .init("service", .orNull(.string), about: "null: of all services"),
        .init("ownAuthorities", .boolean),
        .init("enabled", .boolean),
        .init("disabledReason", .orNull(.string)),
        .init("created", .time),
        .init("oldSecretUntil", .orNull(.time)),
        .init("behind", .integer, about: "events behind its cursor, those that are not for it included"),
        .init("behindSeconds", .integer),
        .init("failures", .integer, about: "attempts in a row"),
        .init("nextAttempt", .orNull(.time)),
        .init("lastAnswer", .orNull(.string)),
        .init("lastAnswerAt", .orNull(.time)),
        .init("batchesTaken", .integer),
        .init("attemptsFailed", .integer),
        .init("told", .integer, about: "events that it took"),
        .init("dropped", .integer, about: "events that it never got"),
    ])

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
