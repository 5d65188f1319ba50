/// In Campaign's terms, an information service of the type mobile app.
package struct Service: Equatable, Sendable {
    package var id: ServiceID
    package var name: String
    package var label: String
    /// The limit on the number of messages to one device; `nil` if there is none.
    package var frequencyCap: FrequencyCap?
    /// The purpose of the service, as the operator describes it; `nil` if there is no description.
    package var description: String?
    package init(id: ServiceID, name: String, label: String) {
        self.id = id
        self.name = name
        self.label = label
    }
}

/// An application as the operator described it. The app's credential is not included: it stays sealed in the
/// store until a child needs it.
package struct App: Equatable, Sendable {
    package var id: AppID
    package var service: ServiceID
    /// The revision to which newly submitted deliveries are bound.
    package var revision: AppRevisionID
    package var settings: AppSettings
    /// The properties of the icon; `nil` if the app has no icon.
    package var icon: AppIcon.Facts?
    package init(
        id: AppID, service: ServiceID, revision: AppRevisionID, settings: AppSettings,
        icon: AppIcon.Facts? = nil
    ) {
        self.id = id
        self.service = service
        self.revision = revision
        self.settings = settings
        self.icon = icon
    }
    package var name: String { settings.name }
}

/// The settings that `app create` and `app update` change.
package struct AppSettings: Equatable, Sendable {
    package var name: String
    /// The name that people use; empty if they use the app's name.
    package var label = ""
    package var platform: Platform
    /// The value that the SDK calls `mobileAppUuid`: any string that no other app has.
    package var integrationKey: String
    /// A second key, with which builds of the app that are already installed register; `nil` if all builds
    /// have ``integrationKey``.
    package var formerIntegrationKey: String?
    /// The keys with which devices may register, the one for new builds first.
    package var integrationKeys: [String] { [integrationKey] + (formerIntegrationKey.map { [$0] } ?? []) }
    package var connector: ConnectorName
    package var environment: PushEnvironment
    /// The APNs topic; empty if the gateway has no topics.
    package var bundleID: String
    /// The identity that the gateway sees: `team:key`, a certificate's fingerprint, or a project. Never a
    /// secret. Together with the connector and the environment, it names the account.
    package var credentialIdentity: String
    package var messageIDFormat: MessageIDFormat
    /// Application variables and their defaults. Each delivery must supply a value for a variable that has no
    /// default and is not optional.
    package var variables: [AppVariable] = []
    /// The app's sounds, each with the name that devices know and the label that marketers see.
    package var sounds: [AppSound] = []
    /// The app's categories of notifications, each with the name that the app's code knows and the label that
    /// marketers see.
    package var categories: [AppCategory] = []
    /// The subscription parameters that devices may have, and the kind of each. If none are declared, any
    /// parameters are allowed.
    package var parameters: [ParameterDeclaration] = []

    package init(
        name: String, platform: Platform, integrationKey: String, connector: ConnectorName,
        environment: PushEnvironment, bundleID: String, credentialIdentity: String,
        messageIDFormat: MessageIDFormat
    ) {
        self.name = name
        self.platform = platform
        self.integrationKey = integrationKey
        self.connector = connector
        self.environment = environment
        self.bundleID = bundleID
        self.credentialIdentity = credentialIdentity
        self.messageIDFormat = messageIDFormat
    }
}

package struct AppVariable: Equatable, Sendable {
    package var name: String
    package var defaultValue: String?
    /// Whether messages need no value: a variable without a value is not sent. An optional variable has no
    /// default.
    package var isOptional: Bool
    package init(name: String, defaultValue: String?, isOptional: Bool = false) {
        self.name = name
        self.defaultValue = defaultValue
        self.isOptional = isOptional
    }
}

package struct AppSound: Equatable, Sendable {
    package var internalName: String
    package var label: String
    package init(internalName: String, label: String) {
        self.internalName = internalName
        self.label = label
    }
}

package struct AppCategory: Equatable, Sendable {
    package var internalName: String
    package var label: String
    package init(internalName: String, label: String) {
        self.internalName = internalName
        self.label = label
    }
}

/// A credential as bytes that only the credential's connector can interpret. The store seals it and the child
/// link carries it.
package struct OpaqueCredential: Equatable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]
    package init(bytes: [UInt8]) { self.bytes = bytes }
    /// The credential itself is not printed.
    package var description: String { "credential of \(bytes.count) bytes" }
}
