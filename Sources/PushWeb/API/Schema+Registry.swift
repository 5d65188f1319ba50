internal import PushOperations

extension Schema {
    /// What OpenAPI calls components: answers, and objects within them. Tests compare them with what is answered.
    static let components = registry + analysis + deliveries + instance + templates + webhooks

    static let registry: [(name: String, schema: Schema)] = [
        ("Problem", problem),
        ("Variable", variable),
        ("Sound", sound),
        ("Parameter", parameter),
        ("App", app),
        ("AppIcon", appIcon),
        ("AppWithSubscribers", appWithSubscribers),
        ("UndeclaredParameter", undeclaredParameter),
        ("AppChange", appChange),
        ("Credential", credential),
        ("NewApp", newApp),
        ("ChangedApp", changedApp),
        ("DeletedApp", deletedApp),
        ("Subscriber", subscriber),
        ("SubscriberCounts", subscriberCounts),
        ("RegistrationDay", registrationDay),
        ("ServiceApp", serviceApp),
        ("DeviceCount", deviceCount),
        ("ServiceStatistics", serviceStatistics),
        ("Token", token),
        ("NewToken", newToken),
        ("AuditLine", auditLine),
    ]

    private static let problem: Schema = .object([
        .init("type", .string),
        .init("title", .string),
        .init("status", .integer),
        .init("detail", .string),
        .init("errors", .list(.string)),
    ])

    private static let variable: Schema = .object([
        .init("name", .string),
        .init("default", .orNull(.string)),
    ])

    private static let sound: Schema = .object([
        .init("internalName", .string),
        .init("label", .string),
    ])

    private static let parameter: Schema = .object([
        .init("name", .string),
        .init("kind", .words(["text", "number", "date", "boolean"])),
    ])

    private static let appMembers: [Member] = [
        .init("name", .string),
        .init("label", .string),
        .init("service", .string),
        .init("platform", .words(["ios", "android"])),
        .init("integrationKey", .string),
        .init("connector", .string),
        .init("environment", .words(["sandbox", "production"])),
        .init("bundleId", .string),
        .init("credential", .string),
        .init("messageIdFormat", .string),
        .init("variables", .list(.named("Variable"))),
        .init("sounds", .list(.named("Sound"))),
        .init("parameters", .list(.named("Parameter"))),
        .init("icon", .orNull(.named("AppIcon"))),
    ]

    private static let appIcon: Schema = .object([
        .init("width", .integer),
        .init("height", .integer),
        .init("bytes", .integer),
    ])

    private static let app: Schema = .object(appMembers)

    private static let appWithSubscribers: Schema = .object(
        appMembers + [
            Member("subscribers", .integer),
            Member(
                "integrationKeySharedWith", .list(.string),
                about: "apps of an earlier version with the same key; usually empty"),
            Member(
                "undeclaredParameters", .list(.named("UndeclaredParameter")),
                about: "parameters that devices registered with and the app does not declare"),
        ])

    private static let undeclaredParameter: Schema = .object([
        .init("name", .orNull(.string), about: "null: all names beyond the first 20"),
        .init("registrations", .integer),
        .init("lastAt", .time),
    ])

    private static let appChange: Schema = .object([
        .init("app", .named("App")),
        .init("sandbox", .orNull(.named("App")), about: "of a pair, the app for sandbox tokens"),
        .init("warnings", .list(.string)),
        .init("credentialEnds", .orNull(.time)),
    ])

    private static let deletedApp: Schema = .object([
        .init("name", .string),
        .init("subscribers", .integer),
    ])

    private static let subscriber: Schema = .object([
        .init("app", .string),
        .init("registrationToken", .string),
        .init("userKey", .string),
        .init("parameters", .map(.string)),
        .init("state", .string),
        .init("errors", .integer),
        .init("createdAt", .time),
        .init("registeredAt", .time),
    ])

    private static let subscriberCounts: Schema = .object([
        .init("app", .string),
        .init("subscribers", .integer),
        .init("valid", .integer),
        .init("quarantined", .integer),
        .init("disabled", .integer),
    ])

    private static let registrationDay: Schema = .object([
        .init("day", .string),
        .init("registered", .integer),
    ])

    private static let serviceApp: Schema = .object([
        .init("app", .string),
        .init("platform", .string),
        .init("valid", .integer),
        .init("quarantined", .integer),
        .init("disabled", .integer),
        .init("days", .list(.named("RegistrationDay"))),
        .init("devices", .list(.named("DeviceCount"))),
    ])

    private static let deviceCount: Schema = .object([
        .init("app", .string),
        .init("platform", .string),
        .init("os", .string),
        .init("language", .string),
        .init("count", .integer),
    ])

    private static let serviceStatistics: Schema = .object([
        .init("name", .string),
        .init("apps", .list(.named("ServiceApp"))),
    ])

    private static let token: Schema = .object([
        .init("name", .string),
        .init("scopes", .list(.words(["read", "send", "admin"]))),
        .init("created", .time),
        .init("revoked", .orNull(.time)),
    ])

    private static let newToken: Schema = .object([
        .init("grant", .named("Token")),
        .init("token", .string),
    ])

    private static let auditLine: Schema = .object([
        .init("at", .time),
        .init("who", .string),
        .init("action", .string),
        .init("what", .string),
    ])

    private static let credential: Schema = .object([
        .init("type", .words(CredentialFile.documentTypes)),
        .init(
            "data", .any, isRequired: false,
            about: "pkcs12: base64; serviceAccount: the object; else the text"),
        .init("password", .string, isRequired: false, about: "of a pkcs12"),
        .init("key", .string, isRequired: false, about: "of a token: the text of the .p8"),
        .init("keyId", .string, isRequired: false),
        .init("teamId", .string, isRequired: false),
    ])

    private static let newApp: Schema = .object(
        [
            .init("name", .string),
            .init("service", .string),
            .init("platform", .words(["ios", "android"])),
            .init("integrationKey", .string),
            .init("connector", .string),
            .init("environment", .words(["sandbox", "production"])),
            .init("bundleId", .string, isRequired: false),
            .init("variables", .list(.named("Variable")), isRequired: false),
            .init("sounds", .list(.named("Sound")), isRequired: false),
            .init("parameters", .list(.named("Parameter")), isRequired: false),
            .init("messageIdFormat", .words(["integer", "uuid"]), isRequired: false),
            .init("credential", .named("Credential"), isRequired: false),
            .init(
                "pair", .boolean, isRequired: false,
                about: "of an iOS app in production, whether there is to be one for sandbox tokens beside it"),
        ] + iconMembers)

    private static let iconMembers: [Member] = [
        .init("label", .string, isRequired: false, about: "what people call it"),
        .init(
            "icon", .string, isRequired: false,
            about: "a PNG in base64, at least 48 by 48 pixels and at most 256 KiB"),
    ]

    private static let changedApp: Schema = .object(
        [
            .init("integrationKey", .string, isRequired: false),
            .init("bundleId", .string, isRequired: false),
            .init(
                "connector", .string, isRequired: false,
                about: "of the same platform; with a credential if it cannot use the app's present one"),
            .init("environment", .words(["sandbox", "production"]), isRequired: false),
            .init("variables", .list(.named("Variable")), isRequired: false),
            .init("removedVariables", .list(.string), isRequired: false),
            .init("sounds", .list(.named("Sound")), isRequired: false),
            .init("removedSounds", .list(.string), isRequired: false),
            .init("parameters", .list(.named("Parameter")), isRequired: false),
            .init("removedParameters", .list(.string), isRequired: false),
            .init("messageIdFormat", .words(["integer", "uuid"]), isRequired: false),
            .init("liveDeliveries", .boolean, isRequired: false),
            .init("credential", .named("Credential"), isRequired: false),
            .init("removesIcon", .boolean, isRequired: false),
        ] + iconMembers)
}
