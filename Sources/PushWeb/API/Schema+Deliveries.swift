internal import PushModel
internal import PushOperations
internal import PushWire

extension Schema {
    static let deliveries: [(name: String, schema: Schema)] = [
        ("DeliveryCounts", deliveryCounts),
        ("Delivery", delivery),
        ("Hold", hold),
        ("Reason", reason),
        ("DeliveryDetails", deliveryDetails),
        ("DeliveryDocument", deliveryDocument),
        ("DeliveryTarget", deliveryTarget),
        ("TargetExpression", targetExpression),
        ("TargetComparison", targetComparison),
        ("SubmittedDelivery", submittedDelivery),
        ("PausedDelivery", pausedDelivery),
        ("StoppedDelivery", stoppedDelivery),
        ("RecalledDelivery", recalledDelivery),
        ("DeliveryReason", deliveryReason),
        ("DeliveryOfApp", deliveryOfApp),
        ("DeliveryMinute", deliveryMinute),
        ("DeliveryStatistics", deliveryStatistics),
        ("MessageOfLog", messageOfLog),
        ("Recount", recount),
        ("RetriedFailures", retriedFailures),
        ("Content", content),
        ("ContentOfLanguage", contentOfLanguage),
        ("IOSContent", iosContent),
        ("AndroidContent", androidContent),
        ("NewMessage", newMessage),
        ("MessageOfDevice", messageOfDevice),
        ("SentMessage", sentMessage),
        ("Message", message),
    ]

    private static let deliveryCounts: Schema = .object([
        .init("targeted", .integer),
        .init("excluded", .integer),
        .init("pending", .integer),
        .init("sent", .integer),
        .init("retrying", .integer),
        .init("failed", .integer),
        .init("cancelled", .integer),
        .init("received", .integer),
        .init("clicked", .integer),
    ])

    private static let deliveryMembers: [Member] = [
        .init("id", .integer),
        .init("label", .string),
        .init("state", .string),
        .init("environments", .list(.words(["sandbox", "production"])), about: "those of its apps"),
        .init("counts", .named("DeliveryCounts")),
        .init("startedAt", .orNull(.time)),
        .init("finishedAt", .orNull(.time)),
        .init("messagesPerSecond", .orNull(.number)),
        .init("damage", .string, isRequired: false),
        .init("held", .string, isRequired: false),
        .init("pausedUntil", .time, isRequired: false),
    ]

    private static let messageOfLog: Schema = .object([
        .init("messageId", .string, about: "what the device got as _mId; empty where it is not tracked"),
        .init("userKey", .string),
        .init("registrationToken", .string, about: "empty where the subscription has gone since"),
        .init("app", .string),
        .init("state", .string),
        .init("attempts", .integer),
        .init("failureType", .string),
        .init("failureReason", .string),
        .init("providerReason", .string, about: "the gateway's own word"),
        .init("providerId", .string),
        .init("updatedAt", .time),
    ])

    private static let delivery: Schema = .object(deliveryMembers)

    private static let hold: Schema = .object([
        .init("account", .string),
        .init("state", .string),
        .init("reason", .string),
        .init("secondsUntilProbe", .orNull(.integer)),
        .init("until", .orNull(.time)),
        .init("topic", .orNull(.string)),
        .init("app", .orNull(.string)),
    ])

    private static let reason: Schema = .object([
        .init("failureReason", .string),
        .init("providerReason", .string),
        .init("count", .integer),
    ])

    /// What one delivery says beside what lists of them do.
    private static let detailMembers: [Member] = [
        .init("verifyMode", .boolean),
        .init("service", .string, isRequired: false),
        .init("apps", .list(.string), isRequired: false),
        .init("startAt", .orNull(.time), isRequired: false),
        .init("validitySeconds", .integer, isRequired: false),
        .init("expiresAt", .time, isRequired: false),
        .init("priority", .string, isRequired: false),
        .init("ratePerSecond", .orNull(.integer), isRequired: false),
        .init("retentionDays", .orNull(.integer), isRequired: false),
        .init("messagesKeptUntil", .orNull(.time), isRequired: false),
        .init("messagesRemovedAt", .orNull(.time), isRequired: false),
        .init("target", .string, isRequired: false),
        .init("content", .string, isRequired: false),
        .init("template", .orNull(.string), isRequired: false, about: "what the content was made of"),
        .init("templateVersion", .orNull(.integer), isRequired: false),
        .init("failures", .list(.named("Reason")), isRequired: false),
        .init("exclusions", .list(.named("Reason")), isRequired: false),
        .init("nextRetryAt", .orNull(.time), isRequired: false),
        .init("storms", .list(.string), isRequired: false),
        .init(
            "waitingVerdicts", .list(.named("WaitingVerdicts")), isRequired: false,
            about: "verdicts about tokens that wait"),
        .init("possibleDuplicates", .integer, isRequired: false),
        .init("waitsFor", .list(.named("Hold")), isRequired: false),
        .init(
            "releases", .list(.object([.init("at", .time), .init("count", .integer)])), isRequired: false,
            about: "what is to go later"),
    ]

    private static let deliveryDetails: Schema = .object(deliveryMembers + detailMembers)

    private static let submittedDelivery: Schema = .object([
        .init("id", .integer),
        .init("environments", .list(.words(PushEnvironment.allCases.map(\.rawValue)))),
        .init("warnings", .list(.string)),
        .init("isRepeated", .boolean, about: "the answer to an earlier request with the same key"),
    ])

    private static let pausedDelivery: Schema = .object([
        .init("delivery", .integer),
        .init("state", .string),
        .init("changed", .boolean),
        .init("expiresAt", .time),
    ])

    private static let stoppedDelivery: Schema = .object([
        .init("delivery", .integer),
        .init("state", .words(["stopping", "stopped"])),
        .init("changed", .boolean),
        .init("onTheWire", .integer),
        .init("cancelled", .integer),
        .init("toBeCancelled", .integer),
    ])

    private static let recalledDelivery: Schema = .object([
        .init("delivery", .integer),
        .init("stopped", .orNull(.named("StoppedDelivery")), about: "null: it had ended"),
        .init(
            "replacement", .orNull(.integer),
            about: "the delivery that takes its place; null: nobody was sent a message of it"),
        .init("replacementStart", .orNull(.time), about: "null: at once"),
        .init("warnings", .list(.string)),
        .init(
            "isRepeated", .boolean, about: "whether nothing was submitted, as the key was used for the same"),
    ])

    private static let deliveryReason: Schema = .object([
        .init("app", .string),
        .init("failureType", .string),
        .init("failureReason", .string),
        .init("providerReason", .string),
        .init("count", .integer),
    ])

    private static let deliveryOfApp: Schema = .object([
        .init("app", .string),
        .init("platform", .string),
        .init("sent", .integer),
        .init("failed", .integer),
        .init("cancelled", .integer),
        .init("excluded", .integer),
        .init("retrying", .integer),
        .init("received", .integer),
        .init("clicked", .integer),
    ])

    private static let deliveryMinute: Schema = .object([
        .init("app", .string),
        .init("minute", .time),
        .init("sent", .integer),
        .init("failed", .integer),
        .init("received", .integer),
        .init("clicked", .integer),
    ])

    private static let deliveryStatistics: Schema = .object([
        .init("id", .integer),
        .init("label", .string),
        .init("state", .string),
        .init("counts", .named("DeliveryCounts")),
        .init("apps", .list(.named("DeliveryOfApp"))),
        .init("exclusions", .list(.named("DeliveryReason"))),
        .init("failures", .list(.named("DeliveryReason"))),
        .init("minutes", .list(.named("DeliveryMinute"))),
        .init("devices", .orNull(.list(.named("DeviceCount")))),
    ])

    private static let recount: Schema = .object([
        .init("id", .integer),
        .init("mendedParts", .integer),
        .init("mendedHits", .integer),
        .init("problem", .orNull(.string)),
        .init("state", .string),
        .init("before", .named("DeliveryCounts")),
        .init("after", .named("DeliveryCounts")),
    ])

    private static let retriedFailures: Schema = .object([
        .init("delivery", .integer),
        .init("retried", .integer),
        .init("excluded", .integer),
        .init("gone", .integer),
        .init("hopeless", .integer),
        .init("expiresAt", .time),
    ])

    private static let newMessage: Schema = .object(
        [
            .init("app", .string, isRequired: false),
            .init("service", .string, isRequired: false, about: "with all of its apps"),
            .init("token", .string, isRequired: false, about: "one device"),
            .init("userKey", .string, isRequired: false, about: "all devices of a person"),
            .init("template", templateReference, isRequired: false),
            .init("content", .named("Content"), isRequired: false, about: "needed without a template"),
            .init("priority", .words(["veryLow", "low", "normal", "high", "veryHigh"]), isRequired: false),
            .init(
                "validity", .string, isRequired: false, about: "a number with s, m, h or d; 0: one attempt"),
            .init("idempotencyKey", .key(longest: RequestKey.longest), isRequired: false),
        ], oneOfEach: [["app", "service"], ["token", "userKey"]])

    private static let messageOfDevice: Schema = .object([
        .init("id", .string),
        .init("state", .words(["pending", "excluded"])),
        .init("reason", .orNull(.string)),
    ])

    private static let sentMessage: Schema = .object([
        .init("index", .integer),
        .init("delivery", .orNull(.integer)),
        .init("devices", .list(.named("MessageOfDevice"))),
        .init("isRepeated", .boolean),
        .init("fault", .orNull(.string)),
        .init("reasons", .list(.string)),
        .init("warnings", .list(.string)),
    ])

    private static let message: Schema = .object([
        .init("id", .string),
        .init("delivery", .integer),
        .init("app", .string),
        .init("userKey", .string),
        .init("state", .string),
        .init("attempts", .integer),
        .init("failureType", .orNull(.string)),
        .init("failureReason", .orNull(.string)),
        .init("providerReason", .orNull(.string)),
        .init("providerId", .orNull(.string)),
        .init("updatedAt", .time),
        .init("dueAt", .orNull(.time)),
        .init("expiresAt", .time),
    ])
}
