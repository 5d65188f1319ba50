internal import PushModel
internal import PushOperations

/// The delivery document. What a value may be beyond its kind, `Docs/CommandLine.md` says.
extension Schema {
    static let deliveryDocument: Schema = .object([
        .init("label", .string),
        .init("service", .string),
        .init(
            "template", templateReference, isRequired: false,
            about: "of the service; the document has the last word"),
        .init(
            "apps", .list(.string), isRequired: false,
            about: "absent: all apps of the service in its environments"),
        .init(
            "environments", .list(.words(PushEnvironment.allCases.map(\.rawValue))), isRequired: false,
            about: "absent: those of apps; production without apps"),
        .init("target", .named("DeliveryTarget")),
        .init(
            "allowEmpty", .boolean, isRequired: false,
            about: "whether a target that matches nobody is taken, too"),
        .init("content", .named("Content"), isRequired: false, about: "needed without a template"),
        .init(
            "schedule", .object([.init("start", .time, isRequired: false)] + scheduleMembers),
            isRequired: false),
        .init("retry", retry, isRequired: false),
        .init("tracking", .boolean, isRequired: false),
        .init(
            "ignoreFrequencyCap", .boolean, isRequired: false,
            about: "whether devices are meant that have been sent as much as the service allows"),
    ])

    static let templateDocument: Schema = .object([
        .init("content", .named("Content")),
        .init("schedule", .object(scheduleMembers), isRequired: false),
        .init("retry", retry, isRequired: false),
        .init("tracking", .boolean, isRequired: false),
    ])

    /// A name alone means the newest version.
    static let templateReference: Schema = .oneOf([
        .string,
        .object([
            .init("name", .string), .init("version", .integers(ShowTemplate.versions), isRequired: false),
        ]),
    ])

    /// Without what is one delivery's own.
    static let scheduleMembers: [Member] = [
        .init("validity", duration, isRequired: false),
        .init("priority", .words(DeliveryPriority.allCases.map(\.rawValue)), isRequired: false),
        .init("ratePerSecond", .integer, isRequired: false),
        .init("retentionDays", .integer, isRequired: false),
        .init(
            "waves",
            .list(
                .object([
                    .init("after", duration, isRequired: false), .init("share", .number, isRequired: false),
                    .init("size", .integer, isRequired: false),
                ])), isRequired: false, about: "the last one takes the rest"),
        .init("localTime", .string, isRequired: false, about: "such as 10:00, of each device's own day"),
        .init(
            "quietHours", .object([.init("from", .string), .init("to", .string)]), isRequired: false,
            about: "of each device's own day"),
        .init(
            "timeZone", .string, isRequired: false,
            about: "such as Europe/Paris, of devices that do not say their own"),
    ]

    static let retry: Schema = .object([
        .init("count", .integer, isRequired: false), .init("period", duration, isRequired: false),
    ])

    private static let duration: Schema = .oneOf([.string, .integer])

    static let deliveryTarget: Schema = .object(
        [
            .init("all", .boolean, isRequired: false, about: "true"),
            .init("userKeys", .list(.string), isRequired: false),
            .init("tokens", .list(.string), isRequired: false),
            .init(
                "recipients",
                .list(
                    .object(
                        [
                            .init("userKey", .string, isRequired: false),
                            .init("token", .string, isRequired: false),
                            .init(
                                "variables", .map(.oneOf([.string, .integer, .boolean])), isRequired: false,
                                about: "what texts ask for by name"),
                        ], oneOfEach: [["userKey", "token"]])), isRequired: false,
                about: "all by user key, or all by token"),
            .init("where", .named("TargetExpression"), isRequired: false),
            .init("recipientsOf", .integer, isRequired: false, about: "a delivery of the same service"),
            .init("openersOf", .integer, isRequired: false, about: "a delivery of the same service"),
            .init("nonOpenersOf", .integer, isRequired: false, about: "a delivery of the same service"),
            .init(
                "exclude",
                .object([
                    .init("userKeys", .list(.string), isRequired: false),
                    .init("tokens", .list(.string), isRequired: false),
                ]), isRequired: false),
            .init(
                "sample",
                .oneOf([
                    .number,
                    .object([
                        .init("share", .number), .init("seed", .integer, isRequired: false),
                        .init("from", .number, isRequired: false),
                    ]),
                ]), isRequired: false, about: "a share of the subscriptions, from 0 to 1"),
            .init(
                "oncePerUser", .boolean, isRequired: false,
                about: "whether of a user's devices the one that registered last alone is sent to"),
        ],
        oneOfEach: [
            ["all", "userKeys", "tokens", "recipients", "where", "recipientsOf", "openersOf", "nonOpenersOf"]
        ])

    /// `and` and `or` have lists of these, `not` has one; any other name is a parameter's.
    static let targetExpression: Schema = .map(
        .oneOf([
            .string, .number, .boolean, .named("TargetComparison"), .list(.named("TargetExpression")),
        ]))

    static let targetComparison: Schema = .object(
        TargetComparison.allCases.map { .init($0.rawValue, value, isRequired: false) } + [
            .init("in", .list(value), isRequired: false), .init("exists", .boolean, isRequired: false),
        ])

    private static let value: Schema = .oneOf([.string, .number, .boolean])
}
