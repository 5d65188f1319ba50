internal import PushModel
internal import PushOperations

extension Schema {
    static let analysis: [(name: String, schema: Schema)] = [
        ("Payload", payload),
        ("DryRunOfApp", dryRunOfApp),
        ("DryRun", dryRun),
        ("PreviewOfDevice", previewOfDevice),
        (
            "DeliveryPreview",
            .object([
                .init("devices", .list(.named("PreviewOfDevice"))), .init("warnings", .list(.string)),
            ])
        ),
    ]

    private static let payload: Schema = .object([
        .init("payload", .string, about: "as the gateway would get it; ids in it are placeholders"),
        .init("bytes", .integer, about: "as many as the gateway counts"),
        .init("limitBytes", .integer),
    ])

    /// What a dry run says of the whole and of each app.
    private static let figures: [Member] = [
        .init("targeted", .integer),
        .init("excluded", .integer),
        .init("exclusions", .list(.object([.init("reason", .string), .init("count", .integer)]))),
        .init("tooLarge", .integer, about: "of those that are targeted"),
        .init("shortened", .integer, about: "of those that are targeted; see Content.shorten"),
        .init(
            "missingValues", .list(.object([.init("name", .string), .init("count", .integer)])),
            about: "of those that are targeted"),
        .init("warnings", .list(.string)),
    ]

    private static let dryRunOfApp: Schema = .object(
        figures + [
            .init("app", .string),
            .init("sample", .orNull(.named("Payload")), about: "what the first of them would get"),
            .init(
                "languages",
                .list(
                    .object([
                        .init("language", .orNull(.string), about: "null: all others"),
                        .init("targeted", .integer), .init("sample", .orNull(.named("Payload"))),
                    ])), about: "those of the content, all others first; empty: it has none"),
            .init("messagesPerSecond", .orNull(.number), about: "of late"),
        ])

    private static let dryRun: Schema = .object(
        figures + [
            .init("label", .string),
            .init("environments", .list(.words(PushEnvironment.allCases.map(\.rawValue)))),
            .init("estimatedSeconds", .orNull(.integer), about: "null: nobody knows"),
            .init("apps", .list(.named("DryRunOfApp"))),
            .init(
                "releases", .orNull(.list(.object([.init("at", .time), .init("count", .integer)]))),
                about: "when how many could leave; null: all at once"),
            .init("lastReleaseAt", .orNull(.time)),
        ])

    private static let previewOfDevice: Schema = .object([
        .init("app", .string),
        .init("registrationToken", .string),
        .init("userKey", .string),
        .init("state", .string),
        .init("language", .orNull(.string), about: "of the content's that it gets; null: what others get"),
        .init("message", .orNull(.named("Payload"))),
        .init("fault", .orNull(.string)),
        .init("headers", .map(.string)),
    ])
}
