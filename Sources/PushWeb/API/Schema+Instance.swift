internal import PushOperations

extension Schema {
    static let instance: [(name: String, schema: Schema)] = [
        ("Quarantined", quarantined),
        ("Storm", storm),
        ("WaitingVerdicts", waitingVerdicts),
        ("DecidedStorm", decidedStorm),
        ("Status", status),
        ("ResumedAccount", resumedAccount),
        ("Explanation", explanation),
    ]

    private static let quarantined: Schema = .object([
        .init("app", .orNull(.string)),
        .init("registrationToken", .string),
        .init("userKey", .string),
        .init("state", .words(["counting", "quarantined", "disabled"])),
        .init("errors", .integer),
        .init("since", .time),
        .init("lastErrorAt", .time),
        .init("source", .words(["answer", "feedback"])),
        .init("reason", .string),
        .init("delivery", .orNull(.integer)),
    ])

    private static let storm: Schema = .object([
        .init("account", .string),
        .init("since", .time),
        .init("accepted", .integer),
        .init("aboutTokens", .integer),
        .init("held", .integer),
        .init("apps", .list(.string)),
        .init("deliveries", .list(.integer)),
    ])

    private static let waitingVerdicts: Schema = .object([
        .init("account", .string),
        .init("apps", .list(.string)),
        .init("held", .integer),
        .init("since", .time),
        .init("cause", .words(["unproved", "contradicted", "undecided"])),
        .init("appliesAt", .orNull(.time), about: "when they are applied unless answers contradict them"),
    ])

    private static let decidedStorm: Schema = .object([
        .init("quarantined", .integer),
        .init("counted", .integer),
        .init("ignored", .integer),
        .init("discarded", .integer),
    ])

    private static let resumedAccount: Schema = .object([
        .init("account", .string),
        .init("changed", .boolean, about: "whether it waited on the host that was asked"),
        .init("reason", .string),
        .init("otherHosts", .integer, about: "hosts that end the account's wait, too, if it waits there"),
    ])

    private static let status: Schema = .object([
        .init("store", .string),
        .init("running", .boolean),
        .init("verifyMode", .boolean),
        .init("master", .orNull(.map(.any))),
        .init("deliveries", .list(.named("Delivery"))),
        .init("damaged", .list(.map(.any))),
        .init("queues", .list(.map(.any))),
        .init("waitingVerdicts", .list(.named("WaitingVerdicts"))),
        .init("webhooks", .list(.named("Webhook"))),
        .init("size", .orNull(.map(.any))),
        .init("hosts", .list(.map(.any))),
        .init("storeTrouble", .orNull(.string)),
    ])

    private static let explanation: Schema = .object([
        .init("app", .string),
        .init("account", .string),
        .init("mark", .string),
        .init("settings", .list(.map(.any))),
        .init("credential", .map(.any)),
        .init("answers", .orNull(.map(.any))),
        .init("master", .orNull(.map(.any))),
    ])
}
