internal import PushOperations

extension Schema {
    /// Components without a type: what callers send.
    static let components = registry + deliveries

    static let registry: [(name: String, schema: Schema)] = [
        ("Problem", problem),
        ("Credential", credential),
        ("NewApp", newApp),
        ("ChangedApp", changedApp),
    ]

    private static let problem: Schema = .object([
        .init("type", .string),
        .init("title", .string),
        .init("status", .integer),
        .init("detail", .string),
        .init("errors", .list(.string)),
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
            .init("variables", .list(AppView.Variable.schema), isRequired: false),
            .init("sounds", .list(AppView.Sound.schema), isRequired: false),
            .init("parameters", .list(AppView.Parameter.schema), isRequired: false),
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
            .init("variables", .list(AppView.Variable.schema), isRequired: false),
            .init("removedVariables", .list(.string), isRequired: false),
            .init("sounds", .list(AppView.Sound.schema), isRequired: false),
            .init("removedSounds", .list(.string), isRequired: false),
            .init("parameters", .list(AppView.Parameter.schema), isRequired: false),
            .init("removedParameters", .list(.string), isRequired: false),
            .init("messageIdFormat", .words(["integer", "uuid"]), isRequired: false),
            .init("liveDeliveries", .boolean, isRequired: false),
            .init("credential", .named("Credential"), isRequired: false),
            .init("removesIcon", .boolean, isRequired: false),
        ] + iconMembers)
}
