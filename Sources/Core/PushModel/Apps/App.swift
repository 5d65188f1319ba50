/// An information service of type mobile app.
package struct Service: Equatable, Sendable {
    package var id: ServiceID
    package var name: String
    package var label: String
    /// nil: its devices may be sent any number of messages.
    package var frequencyCap: FrequencyCap?
    /// What it is for, in an operator's words; nil: nobody said.
    package var description: String?
    package init(id: ServiceID, name: String, label: String) {
        self.id = id
        self.name = name
        self.label = label
    }
}

/// An application as the operator described it. Its credential is not here: it stays sealed in the store
/// until a child needs it.
package struct App: Equatable, Sendable {
    package var id: AppID
    package var service: ServiceID
    /// What deliveries that are submitted now are bound to.
    package var revision: AppRevisionID
    package var settings: AppSettings
    /// nil: it has no icon.
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

/// What `app create` and `app update` set.
package struct AppSettings: Equatable, Sendable {
    package var name: String
    /// What people call it; empty: they call it by its name.
    package var label = ""
    package var platform: Platform
    /// What the SDK calls `mobileAppUuid`: any string that no other app has.
    package var integrationKey: String
    package var connector: ConnectorName
    package var environment: PushEnvironment
    /// The topic of APNs; empty where the gateway has none.
    package var bundleID: String
    /// Whom the gateway sees: `team:key`, a certificate's fingerprint, a project. Never a secret. Together
    /// with connector and environment it names the account.
    package var credentialIdentity: String
    package var messageIDFormat: MessageIDFormat
    /// Application variables and their defaults; a variable without one must be given by each delivery.
    package var variables: [AppVariable] = []
    /// Sounds by the name that devices know, with the label that marketers read.
    package var sounds: [AppSound] = []
    /// Subscription parameters that devices may register with, and of what kind; where there are none, any.
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
    package init(name: String, defaultValue: String?) {
        self.name = name
        self.defaultValue = defaultValue
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

/// A credential as bytes that only its connector can read: what the store seals and the child link carries.
package struct OpaqueCredential: Equatable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]
    package init(bytes: [UInt8]) { self.bytes = bytes }
    /// Secrets do not print.
    package var description: String { "credential of \(bytes.count) bytes" }
}
