internal import PushOperations

/// The `content` object of deliveries and messages. What a value may be beyond its kind,
/// `Docs/CommandLine.md` says.
extension Schema {
    static let content: Schema = .object(
        contentMembers + [
            .init(
                "languages", .map(.named("ContentOfLanguage")), isRequired: false,
                about: "by language tag: what devices of that language get instead")
        ])

    /// What differs from the content that it stands in.
    static let contentOfLanguage: Schema = .object(contentMembers)

    private static let contentMembers: [Member] = [
        .init("title", .string, isRequired: false),
        .init("body", .string, isRequired: false),
        .init(
            "shorten", .boolean, isRequired: false,
            about: "cut the body, then the title, to what the gateway takes"),
        .init("variables", .map(.string), isRequired: false),
        .init(
            "custom", .map(.any), isRequired: false, about: "Android apps get what is no string as its JSON"),
        .init("ios", .named("IOSContent"), isRequired: false),
        .init("android", .named("AndroidContent"), isRequired: false),
    ]

    static let iosContent: Schema = .object([
        optional(
            "type",
            .words([
                "alert", "silent", "voip", "complication", "fileprovider", "location", "pushtotalk",
                "controls",
                "widgets",
            ])),
        optional("subtitle", .string),
        optional("badge", .integer),
        .init(
            "sound",
            .oneOf([
                .string,
                .object([.init("name", .string), .init("volume", .integer, isRequired: false)]),
            ]),
            isRequired: false, about: "an object: a critical alert, its volume in percent"),
        optional("category", .string),
        optional("mutableContent", .boolean),
        optional("contentAvailable", .boolean),
        optional("threadId", .string),
        optional("targetContentId", .string),
        optional("interruptionLevel", .words(["passive", "active", "time-sensitive", "critical"])),
        .init("relevanceScore", .number, isRequired: false, about: "0 to 1"),
        optional("launchImage", .string),
        optional("titleLocKey", .string),
        optional("titleLocArgs", .list(.string)),
        optional("subtitleLocKey", .string),
        optional("subtitleLocArgs", .list(.string)),
        optional("bodyLocKey", .string),
        optional("bodyLocArgs", .list(.string)),
        optional("actionLocKey", .string),
        .init("collapseId", .string, isRequired: false, about: "1 to 64 bytes"),
        .init("priority", .integer, isRequired: false, about: "1, 5 or 10; of a silent push 5"),
    ])

    static let androidContent: Schema = .object([
        optional("type", .words(["data", "notification"])),
        optional("priority", .words(["normal", "high"])),
        optional("collapseKey", .string),
        optional("restrictedPackageName", .string),
        optional("validateOnly", .boolean),
        optional("directBootOk", .boolean),
        optional("bandwidthConstrainedOk", .boolean),
        optional("restrictedSatelliteOk", .boolean),
        .init("analyticsLabel", .string, isRequired: false, about: "1 to 50 letters, digits and -_.~%"),
        optional("channelId", .string),
        optional("sound", .string),
        .init("color", .string, isRequired: false, about: "#rrggbb"),
        optional("icon", .string),
        optional("image", .string),
        optional("tag", .string),
        optional("clickAction", .string),
        optional("ticker", .string),
        optional("sticky", .boolean),
        optional("notificationCount", .integer),
        optional("notificationPriority", .words(["default", "minimum", "low", "high", "maximum"])),
        optional("visibility", .words(["public", "private", "secret"])),
        optional("proxy", .words(["allow", "deny", "ifPriorityLowered"])),
        optional("titleLocKey", .string),
        optional("titleLocArgs", .list(.string)),
        optional("bodyLocKey", .string),
        optional("bodyLocArgs", .list(.string)),
        optional("localOnly", .boolean),
        optional("defaultSound", .boolean),
        optional("defaultVibrateTimings", .boolean),
        optional("defaultLightSettings", .boolean),
        optional("eventTime", .time),
        optional("vibrateTimings", .list(.string)),
        optional(
            "lightSettings",
            .object([.init("color", .string), .init("onDuration", .string), .init("offDuration", .string)])),
    ])

    private static func optional(_ name: String, _ schema: Schema) -> Member {
        .init(name, schema, isRequired: false)
    }
}
