package import PushModel
internal import PushStore

/// An app as it is shown: everything but its secrets.
package struct AppView: View, Equatable {
    package var name: String
    /// What people call it; empty: they call it by its name.
    package var label: String
    package var service: String
    package var platform: Platform
    package var integrationKey: String
    package var connector: ConnectorName
    package var environment: PushEnvironment
    /// Empty where the gateway has none.
    package var bundleId: String
    /// Whom the gateway sees; never a secret.
    package var credential: String
    package var messageIdFormat: MessageIDFormat
    package var variables: [AppVariable]
    package var sounds: [AppSound]
    /// What devices may register with; where there are none, anything.
    package var parameters: [ParameterDeclaration]
    /// nil: it has none.
    package var icon: AppIcon.Facts?

    init(_ app: App, service: String) {
        let settings = app.settings
        name = settings.name
        label = settings.label
        icon = app.icon
        self.service = service
        platform = settings.platform
        integrationKey = settings.integrationKey
        connector = settings.connector
        environment = settings.environment
        bundleId = settings.bundleID
        credential = settings.credentialIdentity
        messageIdFormat = settings.messageIDFormat
        (variables, sounds, parameters) = (settings.variables, settings.sounds, settings.parameters)
    }

    init(_ app: App, in catalogue: Catalogue) throws(StoreError) {
        self.init(app, service: try catalogue.service(app.service)?.name ?? "")
    }
}

extension AppIcon.Facts: View { package static let schemaName = "AppIcon" }

extension AppVariable: Members {
    package static let members: [Member<Self>] = [
        .field(\.name, "name", "The variable's name."),
        .field(\.defaultValue, "default", "Its default. Null: each delivery must give a value."),
    ]
    package init() { self.init(name: "", defaultValue: nil) }
}

extension AppSound: Members {
    package static let members: [Member<Self>] = [
        .field(\.internalName, "internalName", "The name that devices know."),
        .field(\.label, "label", "What people call it."),
    ]
    package init() { self.init(internalName: "", label: "") }
}

extension ParameterDeclaration: Members {
    package static let schemaName = "AppParameter"
    package static let members: [Member<Self>] = [
        .field(\.name, "name", "The parameter's name."),
        .field(\.kind, "kind", "The kind of its values."),
    ]
    package init() { self.init(name: "", kind: .text) }
}
