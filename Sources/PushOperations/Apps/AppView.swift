package import PushModel
internal import PushStore

/// An app as it is shown: everything but its secrets.
package struct AppView: View, Equatable {
    package struct Variable: Members, Equatable {
        package static let members: [Member<Self>] = [
            .field(\.name, "name", "The variable's name."),
            .field(\.default, "default", "Its default. Null: each delivery must give a value."),
        ]
        package private(set) var name = ""
        package private(set) var `default`: String?

        package init() {}
        package init(name: String, default: String?) { (self.name, self.default) = (name, `default`) }
    }

    package struct Sound: Members, Equatable {
        package static let members: [Member<Self>] = [
            .field(\.internalName, "internalName", "The name that devices know."),
            .field(\.label, "label", "What people call it."),
        ]
        package private(set) var internalName = ""
        package private(set) var label = ""

        package init() {}
        package init(internalName: String, label: String) {
            (self.internalName, self.label) = (internalName, label)
        }
    }

    package struct Parameter: Members, Equatable {
        package static let members: [Member<Self>] = [
            .field(\.name, "name", "The parameter's name."),
            .field(\.kind, "kind", "The kind of its values."),
        ]
        package private(set) var name = ""
        package private(set) var kind = ParameterDeclaration.Kind.text

        package init() {}
        package init(name: String, kind: ParameterDeclaration.Kind) { (self.name, self.kind) = (name, kind) }
    }

    package struct Icon: View, Equatable {
        /// In pixels.
        package var width: Int
        package var height: Int
        package var bytes: Int
    }

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
    package var variables: [Variable]
    package var sounds: [Sound]
    /// What devices may register with; where there are none, anything.
    package var parameters: [Parameter]
    /// nil: it has none.
    package var icon: Icon?

    init(_ app: App, service: String) {
        let settings = app.settings
        name = settings.name
        label = settings.label
        icon = app.icon.map { Icon(width: $0.width, height: $0.height, bytes: $0.bytes) }
        self.service = service
        platform = settings.platform
        integrationKey = settings.integrationKey
        connector = settings.connector
        environment = settings.environment
        bundleId = settings.bundleID
        credential = settings.credentialIdentity
        messageIdFormat = settings.messageIDFormat
        variables = settings.variables.map { Variable(name: $0.name, default: $0.defaultValue) }
        sounds = settings.sounds.map { Sound(internalName: $0.internalName, label: $0.label) }
        parameters = settings.parameters.map { Parameter(name: $0.name, kind: $0.kind) }
    }

    init(_ app: App, in catalogue: Catalogue) throws(StoreError) {
        self.init(app, service: try catalogue.service(app.service)?.name ?? "")
    }
}

extension AppVariable {
    init(_ variable: AppView.Variable) { self.init(name: variable.name, defaultValue: variable.default) }
}

extension ParameterDeclaration {
    init(_ parameter: AppView.Parameter) { self.init(name: parameter.name, kind: parameter.kind) }
}

extension AppSound {
    init(_ sound: AppView.Sound) { self.init(internalName: sound.internalName, label: sound.label) }
}
