package import PushModel
internal import PushStore

/// The settings of an app that an operator gives. Creation and changes share them.
package struct AppFields: Members {
    package var label: String?
    package var integrationKey = ""
    package var connector = ""
    package var environment = PushEnvironment.production
    package var bundleId: String?
    package var credential: CredentialFile?
    package var messageIdFormat: MessageIDFormat?
    package var variables: [AppVariable] = []
    package var sounds: [AppSound] = []
    package var parameters: [ParameterDeclaration] = []
    package var icon: AppIconImage?

    package init() {}

    package static let members: [Member<Self>] = [
        .field(\.label, "label", "What people call the app. Null or empty: its name."),
        .field(
            \.integrationKey, "integrationKey",
            "What the app's SDK calls its mobile app id: any text, unique."),
        .field(
            \.connector, "connector",
            "The name of a connector of the platform, or a path that ends in the name of Campaign's page."),
        .field(
            \.environment, "environment",
            "The gateway's environment that its tokens belong to. It cannot be changed once the app has subscribers."
        ),
        .field(
            \.bundleId, "bundleId", "The bundle identifier, APNs' topic. Default: that of the certificate."),
        .field(\.credential, "credential", "The gateway's credential, of a kind that the connector can use."),
        .field(
            \.messageIdFormat, "messageIdFormat", "The form of message ids. Null: the instance's setting."),
        .field(
            \.variables, "variables",
            "App variables. Changes add variables, or replace those of the same name.",
            default: []),
        .field(
            \.sounds, "sounds", "Sounds. Changes add sounds, or replace those of the same name.", default: []),
        .field(
            \.parameters, "parameters",
            "Subscription parameters. Changes add parameters, or replace those of the same name.", default: []
        ),
        .field(
            \.icon, "icon", "A PNG in base64: at least 48 by 48 pixels and at most 256 KiB. Null: none."),
    ]

    /// The member `name` of every use case of one app.
    static let nameHelp = "The app's name."
    /// A request with an icon, which is in base64.
    static let maxBodyBytes = (64 << 10) + AppIcon.maximumBytes * 4 / 3 + 4
}
