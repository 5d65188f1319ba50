internal import PushConfig
internal import PushConnectors
package import PushModel
package import PushStore

/// Creates an application with its connection settings. Its credential is checked before anything is stored:
/// refused is one that does not parse, that has expired, or that the connector has no use for.
package struct CreateApp: ChangingOperation {
    package static let name = "app.create"
    package var lookAfterwards: String { "app list" }
    package var auditText: AuditText? { .of(name) }

    package var name: String
    /// What people call it; nil: by its name.
    package var label: String?
    package var service: String
    package var platform: Platform
    package var integrationKey: String
    /// A connector's name, or a path that ends in Campaign's page.
    package var connector: String
    package var environment: PushEnvironment
    /// nil: what the certificate names.
    package var bundleId: String?
    package var credential: CredentialFile?
    package var variables: [AppView.Variable]
    package var sounds: [AppView.Sound]
    package var parameters: [AppView.Parameter]
    /// nil: the instance's setting.
    package var messageIdFormat: MessageIDFormat?
    package var icon: AppIconImage?
    /// Whether there is to be another one for sandbox tokens, of the same credential: `NAME-sandbox`, whose
    /// integration key ends likewise.
    package var pair: Bool

    /// What the name and the integration key of a pair's other app end with.
    package static let sandboxEnding = "-sandbox"

    package init(
        name: String, service: String, platform: Platform, integrationKey: String, connector: String,
        environment: PushEnvironment = .production, bundleId: String? = nil,
        credential: CredentialFile? = nil,
        variables: [AppView.Variable] = [], sounds: [AppView.Sound] = [],
        parameters: [AppView.Parameter] = [],
        messageIdFormat: MessageIDFormat? = nil, label: String? = nil, icon: AppIconImage? = nil,
        pair: Bool = false
    ) {
        self.name = name
        self.label = label
        self.icon = icon
        self.pair = pair
        self.service = service
        self.platform = platform
        self.integrationKey = integrationKey
        self.connector = connector
        self.environment = environment
        self.bundleId = bundleId
        self.credential = credential
        self.variables = variables
        self.sounds = sounds
        self.parameters = parameters
        self.messageIdFormat = messageIdFormat
    }

    package func perform(in operations: Operations) throws -> AppChange {
        try NameRule.check(addressed: name, "the app's name")
        try NameRule.check(label: label ?? "", "the app's label")
        let icon = try icon?.icon()
        try NameRule.check(integrationKey, "the integration key")
        if let bundleId { try NameRule.check(bundleId, "the bundle id") }
        let connector = try AppRules.connector(named: connector, platform: platform)
        try AppRules.check(credential?.kind ?? .none, for: connector)
        let file = self.credential
        let credential = try file?.intake()
        try AppRules.check(credential, of: file, in: environment)
        let (bundleID, unlikely) = AppRules.bundleID(
            try AppRules.bundleID(
                given: bundleId, credential: credential, connector: connector, platform: platform),
            shownWith: credential)
        var settings = AppSettings(
            name: name, platform: platform, integrationKey: integrationKey, connector: connector,
            environment: environment, bundleID: bundleID, credentialIdentity: credential?.identity ?? "",
            messageIDFormat: messageIdFormat ?? operations.settings.tracking.messageIDFormat)
        settings.label = label ?? ""
        settings.variables = try AppRules.checked(variables.map(AppVariable.init), platform: platform)
        settings.sounds = try AppRules.checked(sounds.map(AppSound.init))
        settings.parameters = try AppRules.checked(parameters.map(ParameterDeclaration.init))
        let writer = operations.store.catalogueWriter(key: try operations.key())
        let warnings =
            unlikely + AppRules.warnings(of: settings, credential: credential, operations.settings.nmac)
        guard pair else {
            let app = try writer.createApp(
                settings, service: service, credential: credential?.opaque, icon: icon)
            return AppChange(AppView(app, service: service), warnings: warnings, credential: credential)
        }
        let (app, other) = try writer.createPair(
            settings, try sandbox(of: settings), service: service, credential: credential?.opaque, icon: icon)
        var change = AppChange(AppView(app, service: service), warnings: warnings, credential: credential)
        change.sandbox = AppView(other, service: service)
        return change
    }

    private func sandbox(of settings: AppSettings) throws(OperationError) -> AppSettings {
        guard settings.platform == .ios else {
            throw .refused("a pair is for iOS: FCM has one world, and one app is enough")
        }
        guard settings.environment == .production else {
            throw .refused("a pair has an app in each environment, and is made of the one in production")
        }
        guard !settings.credentialIdentity.hasPrefix("certificate:") else {
            throw .refused(
                "a certificate serves one environment; make a pair with a token key (--p8), or two apps with a "
                    + "certificate each")
        }
        var other = settings
        other.name += Self.sandboxEnding
        other.integrationKey += Self.sandboxEnding
        other.environment = .sandbox
        try NameRule.check(other.name, "the app's name")
        try NameRule.check(other.integrationKey, "the integration key")
        return other
    }
}
