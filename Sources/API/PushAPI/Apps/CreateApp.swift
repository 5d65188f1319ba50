internal import GatewayKit
internal import PushConfig
internal import PushConnectors
package import PushModel
package import PushStore

/// The result of creating or changing an app.
package struct AppChange: View, Equatable {
    package static let about = [
        "sandbox": "the pair's app for sandbox tokens", "warnings": "probable mistakes",
        "credentialEndsAt":
            "when the given credential expires, or the first of two; null if none expires or none was given",
        "test":
            "the steps of the new connection's test and the gateway's answers; null if there was no test",
    ]

    package var app: AppView
    package var sandbox: AppView?
    package var warnings: [String]
    package var credentialEndsAt: WallTime?
    package var test: [String]?

    init(_ app: AppView, warnings: [String], credential: VerifiedCredential?) {
        self.app = app
        self.warnings = warnings
        credentialEndsAt = credential?.notAfter
    }

    /// Binds the deliveries of the changed apps that have not ended to the apps' new settings.
    func bindLiveDeliveries(in operations: Operations) throws {
        var throttle = BulkWriteThrottle(operations)
        let writer = operations.store.catalogueWriter(key: try operations.key())
        for name in [app.name, sandbox?.name].compactMap(\.self) {
            let app = try operations.requireApp(named: name)
            try writer.bindLiveDeliveries(of: app.id, pause: { throttle.pause() })
        }
    }
}

/// Creates an application with its connection settings. The credential is checked before anything is stored:
/// a credential is refused if it cannot be read, has expired, or cannot be used by the connector.
@dynamicMemberLookup
package struct CreateApp: Change, UseCase {
    package static let name = "app.create"
    package static let operation = Operation(
        .post, "/apps", .admin, "Creates an app with its connection settings.", status: 201,
        maxBodyBytes: AppFields.maxBodyBytes, reach: .services)
    package static let example =
        #"""
        {"name": "neotrips-ios", "service": "neotrips", "platform": "ios", "integrationKey":
        "com.neotrips.app", "connector": "stub", "bundleId": "com.neotrips.app"}
        """#
    package static let members: [Member<Self>] =
        [
            .field(\.name, "name", "The app's name, which must be unique in the instance."),
            .field(\.service, "service", "The name of the app's service."),
            .field(\.platform, "platform", "The platform of the app's devices."),
            .field(
                \.pair, "pair",
                """
                Whether to also create a second app for sandbox tokens: NAME\(sandboxEnding), with the \
                integration key KEY\(sandboxEnding). Only for an iOS app in production.
                """,
                default: false),
            .field(
                \.sandboxCredential, "sandboxCredential",
                """
                The credential of the pair's second app. Required if the credential is a certificate, which \
                is valid for one environment.
                """,
                absent: "the same credential"
            )
            .secret,
        ] + Member.all(of: \.fields)
    package var followUpCommand: String { "app list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var service = ""
    package var platform = Platform.ios
    package var fields = AppFields()
    /// Whether to create a second app for sandbox tokens. The second app's name and integration key end with
    /// ``sandboxEnding``.
    package var pair = false
    /// The credential of the second app; `nil` if both apps have the same credential.
    package var sandboxCredential: CredentialFile?

    package static let sandboxEnding = "-sandbox"

    package init() {}

    package subscript<Value>(dynamicMember path: WritableKeyPath<AppFields, Value>) -> Value {
        get { fields[keyPath: path] }
        set { fields[keyPath: path] = newValue }
    }

    package func prepare(in operations: Operations) throws -> Step<AppChange> {
        try NameRule.check(addressed: name, "the app's name")
        try NameRule.check(label: fields.label ?? "", "the app's label")
        let icon = try fields.icon?.icon()
        try NameRule.check(fields.integrationKey, "the integration key")
        if let bundleId = fields.bundleId { try NameRule.check(bundleId, "the bundle id") }
        let connector = try AppRules.connector(named: fields.connector, platform: platform)
        try AppRules.check(fields.credential?.kind ?? .none, for: connector)
        let credential = try fields.credential?.intake()
        try AppRules.check(credential, of: fields.credential, in: fields.environment)
        let (bundleID, unlikely) = AppRules.bundleID(
            try AppRules.bundleID(
                given: fields.bundleId, credential: credential, connector: connector, platform: platform),
            shownWith: credential)
        var settings = AppSettings(
            name: name, platform: platform, integrationKey: fields.integrationKey, connector: connector,
            environment: fields.environment, bundleID: bundleID,
            credentialIdentity: credential?.identity ?? "",
            messageIDFormat: fields.messageIdFormat ?? operations.settings.tracking.messageIDFormat)
        settings.label = fields.label ?? ""
        settings.variables = try AppRules.checked(fields.variables, platform: platform)
        settings.sounds = try AppRules.checked(fields.sounds)
        settings.categories = try AppRules.checked(fields.categories)
        settings.parameters = try AppRules.checked(fields.parameters)
        var warnings =
            unlikely + AppRules.warnings(of: settings, credential: credential, operations.settings.nmac)
        _ = try operations.requireService(named: service)
        let (key, other) = (try operations.key(), try sandbox(of: settings, credential))
        if let other, sandboxCredential != nil {
            warnings += AppRules.warnings(
                of: other.settings, credential: other.credential, operations.settings.nmac
            ).map { "\(other.settings.name): \($0)" }
        }
        let forgetApps = operations.forgetApps
        return Step(effects: { _ in forgetApps() }) { [settings, warnings] store in
            let writer = store.catalogueWriter(key: key)
            guard let other else {
                let app = try writer.createApp(
                    settings, service: service, credential: credential?.opaque, icon: icon)
                return AppChange(
                    AppView(app, service: service), warnings: warnings, credential: credential)
            }
            let (app, sandbox) = try writer.createPair(
                (settings, credential?.opaque), (other.settings, other.credential?.opaque),
                service: service, icon: icon)
            var change = AppChange(
                AppView(app, service: service), warnings: warnings, credential: credential)
            change.sandbox = AppView(sandbox, service: service)
            change.credentialEndsAt = [credential, other.credential].compactMap { $0?.notAfter }.min()
            return change
        }
    }

    /// Returns the settings and the credential of the pair's second app; `nil` if no pair is requested.
    private func sandbox(
        of settings: AppSettings, _ credential: VerifiedCredential?
    ) throws(OperationError) -> (settings: AppSettings, credential: VerifiedCredential?)? {
        guard pair else {
            if sandboxCredential == nil { return nil }
            throw .refused(
                "a credential for the sandbox is given, but no pair is requested; add "
                    + "\(command: "--pair", api: "\"pair\": true"), or omit it")
        }
        guard ConnectorCatalogue.speaking(for: settings)?.hasSandbox == true else {
            throw .refused(
                "pairs exist only for iOS: other gateways have a single environment, so one app is enough")
        }
        guard settings.environment == .production else {
            throw .refused("a pair has one app in each environment; create it from the app in production")
        }
        guard sandboxCredential != nil || !settings.credentialIdentity.hasPrefix("certificate:") else {
            throw .refused(
                "a certificate is valid for one environment; also give the certificate for the sandbox "
                    + "(\(command: "--sandbox-p12 or --sandbox-pem", api: "sandboxCredential")), or create "
                    + "the pair with a token key")
        }
        var other = settings
        other.name += Self.sandboxEnding
        other.integrationKey += Self.sandboxEnding
        other.environment = .sandbox
        try NameRule.check(other.name, "the app's name")
        try NameRule.check(other.integrationKey, "the integration key")
        guard let file = sandboxCredential else { return (other, credential) }
        try AppRules.check(file.kind, for: other.connector)
        let own = try file.intake()
        try AppRules.check(own, of: file, in: .sandbox)
        other.credentialIdentity = own.identity
        return (other, own)
    }
}
