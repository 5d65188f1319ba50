internal import FoundationEssentials
internal import PushConfig
internal import PushConnectors
package import PushModel
package import PushStore

/// The app settings that an operator can choose. The use cases that create and change apps share them.
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
    package var categories: [AppCategory] = []
    package var parameters: [ParameterDeclaration] = []
    package var icon: AppIconImage?

    package init() {}

    package static let members: [Member<Self>] = [
        .field(\.label, "label", "The app's display name.", absent: "its name"),
        .field(
            \.integrationKey, "integrationKey",
            "The value that the app's SDK calls the mobile app id: any text that is unique in the instance."),
        .field(\.connector, "connector", ConnectionFields.connectorHelp),
        .field(\.environment, "environment", ConnectionFields.environmentHelp, initially: .production),
        .field(
            \.bundleId, "bundleId", ConnectionFields.bundleIDHelp,
            absent: "the bundle identifier in the certificate"),
        .field(\.credential, "credential", ConnectionFields.credentialHelp).secret,
        .field(
            \.messageIdFormat, "messageIdFormat", "The format of message ids.",
            absent: "the instance's setting"),
        .field(
            \.variables, "variables",
            "App variables. An update adds variables and replaces those of the same name.",
            default: []),
        .field(
            \.sounds, "sounds", "Sounds. An update adds sounds and replaces those of the same name.",
            default: []),
        .field(
            \.categories, "categories",
            "Categories of notifications. An update adds categories and replaces those of the same name.",
            default: []),
        .field(
            \.parameters, "parameters",
            "Subscription parameters. An update adds parameters and replaces those of the same name.",
            default: []
        ),
        .field(
            \.icon, "icon", "A PNG image in base64, at least 48 by 48 pixels and at most 256 KiB.",
            absent: "none"),
    ]

    /// The help text of the `name` member of every use case for one app.
    static let nameHelp = "The app's name."
    /// The maximum body size of a request with an icon, which is in base64.
    static let maxBodyBytes = (64 << 10) + AppIcon.maximumBytes * 4 / 3 + 4
}

/// An app as it is shown: everything except its secrets.
package struct AppView: View, Equatable {
    package var name: String
    /// The display name; `nil` if the app is displayed by its name.
    package var label: String?
    package var service: String
    package var platform: Platform
    /// The integration key for new builds.
    package var integrationKey: String
    /// The key of installed builds while the app has two keys; `nil` otherwise.
    package var formerIntegrationKey: String?
    package var connector: ConnectorName
    package var environment: PushEnvironment
    /// The bundle id; `nil` if the app's gateway does not use one.
    package var bundleId: String?
    /// The identity that the gateway sees; never a secret. `nil` if the app has no credential.
    package var credential: String?
    package var messageIdFormat: MessageIDFormat
    package var variables: [AppVariable]
    package var sounds: [AppSound]
    package var categories: [AppCategory]
    /// The parameters that devices can register with. If there are none, all parameters are accepted.
    package var parameters: [ParameterDeclaration]
    /// The properties of the icon; `nil` if the app has no icon.
    package var icon: AppIcon.Facts?

    package init(_ app: App, service: String) {
        let settings = app.settings
        name = settings.name
        label = settings.label.nonEmpty
        icon = app.icon
        self.service = service
        platform = settings.platform
        integrationKey = settings.integrationKey
        formerIntegrationKey = settings.formerIntegrationKey
        connector = settings.connector
        environment = settings.environment
        bundleId = settings.bundleID.nonEmpty
        credential = settings.credentialIdentity.nonEmpty
        messageIdFormat = settings.messageIDFormat
        (variables, sounds, categories) = (settings.variables, settings.sounds, settings.categories)
        parameters = settings.parameters
    }

    init(_ app: App, in catalogue: Catalogue) throws(StoreError) {
        self.init(app, service: try catalogue.service(app.service)?.name ?? "")
    }
}

extension AppIcon.Facts: View { package static let schemaName = "AppIcon" }

extension AppVariable: Members {
    package static let members: [Member<Self>] = [
        .field(\.name, "name", "The variable's name."),
        .field(
            \.defaultValue, "default",
            "The default value. If it is null, each delivery must give a value, unless the variable is "
                + "optional."),
        .field(
            \.isOptional, "optional",
            "Whether a delivery need not give a value. A message without a value does not contain the "
                + "variable.",
            default: false),
    ]
    package init() { self.init(name: "", defaultValue: nil) }
}

extension AppSound: Members {
    package static let members: [Member<Self>] = [
        .field(\.internalName, "internalName", "The sound's name on devices."),
        .field(\.label, "label", "The sound's display name."),
    ]
    package init() { self.init(internalName: "", label: "") }
}

extension AppCategory: Members {
    package static let members: [Member<Self>] = [
        .field(\.internalName, "internalName", "The category's name in the app's code."),
        .field(\.label, "label", "The category's display name."),
    ]
    package init() { self.init(internalName: "", label: "") }
}

extension ParameterDeclaration: Members {
    package static let schemaName = "AppParameter"
    package static let members: [Member<Self>] = [
        .field(\.name, "name", "The parameter's name."),
        .field(\.kind, "kind", "The type of the parameter's values."),
    ]
    package init() { self.init(name: "", kind: .text) }
}

/// Lists the applications, ordered by name.
package struct ListApps: ShortOperation, UseCase {
    package static let name = "app.list"
    package static let operation = Operation(
        .get, "/apps", .read, "Lists all apps, or the apps of a service.", reach: .services)
    package static let members: [Member<Self>] = [
        .query(\.service, "service", "Return only apps of this service.")
    ]

    package var service: String?

    package init() {}

    package func perform(in operations: Operations) throws -> [AppView] {
        let wanted = try service.map { try operations.requireService(named: $0).id }
        let catalogue = operations.store.catalogue
        let services = Dictionary(try catalogue.services().map { ($0.id, $0.name) }) { first, _ in first }
        return try catalogue.apps().filter { wanted == nil || $0.service == wanted }
            .map { AppView($0, service: services[$0.service] ?? "") }
    }
}

/// Shows one application with the number of its subscribers, which are counted page by page.
package struct ShowApp: ShortOperation, UseCase {
    package static let name = "app.show"
    package static let operation = Operation(.get, "/apps/{name}", .read, "Returns an app.")
    package static let members: [Member<Self>] = [
        .path(\.name, "name", AppFields.nameHelp),
        .inner(\.countsSubscribers, "countsSubscribers", default: true),
    ]

    package private(set) var name = ""
    /// Whether the subscribers are counted, which takes the longer the more there are. If not, the answer's
    /// number is 0.
    private var countsSubscribers = true

    package init() {}
    package init(name: String, countsSubscribers: Bool = true) {
        (self.name, self.countsSubscribers) = (name, countsSubscribers)
    }

    package func perform(in operations: Operations) throws -> AppDetails {
        let app = try operations.requireApp(named: name)
        let shared = SharedIntegrationKey.all(among: try operations.store.catalogue.apps())
        return AppDetails(
            app: try AppView(app, in: operations.store.catalogue),
            subscribers: countsSubscribers ? try operations.store.subscribers.count(of: app.id) : 0,
            integrationKeys: try operations.integrationKeys(of: app),
            integrationKeySharedWith: shared.flatMap { $0.others(than: app) },
            pairedWith: try AppPair.other(than: app, in: operations.store.catalogue)?.name,
            formerConnection: try operations.store.catalogue.formerConnection(of: app.id)
                .map(FormerConnectionView.init),
            undeclaredParameters: try operations.store.catalogue.undeclaredParameters(of: app))
    }
}

/// An app and the facts that only ``ShowApp`` determines, as one object.
package struct AppDetails: View, Equatable {
    package static let about = [
        "integrationKeys": "the app's keys and their use while it has two, the one for new builds first; "
            + "otherwise empty",
        "integrationKeySharedWith":
            "other apps with the same key; usually empty, because only earlier versions allowed this",
        "pairedWith": "the app for the other environment, if this app belongs to a pair",
        "formerConnection": "the connection to which the app can be switched back; null if there is none",
        "undeclaredParameters":
            "parameters that devices registered with but the app does not declare, most frequent first",
    ]

    package var app: AppView
    package var subscribers: Int
    package var integrationKeys: [IntegrationKeyState]
    package var integrationKeySharedWith: [String]
    package var pairedWith: String?
    package var formerConnection: FormerConnectionView?
    package var undeclaredParameters: [UndeclaredParameter]

    /// ``undeclaredParameters``, for callers that do not know the store.
    package var undeclaredNames: [(name: String?, registrations: Int)] {
        undeclaredParameters.map { ($0.name, $0.registrations) }
    }

    private enum Key: CodingKey {
        case subscribers, integrationKeys, integrationKeySharedWith, pairedWith, formerConnection
        case undeclaredParameters
    }

    init(
        app: AppView, subscribers: Int, integrationKeys: [IntegrationKeyState],
        integrationKeySharedWith: [String], pairedWith: String?,
        formerConnection: FormerConnectionView?, undeclaredParameters: [UndeclaredParameter]
    ) {
        self.app = app
        self.subscribers = subscribers
        self.integrationKeys = integrationKeys
        self.integrationKeySharedWith = integrationKeySharedWith
        self.pairedWith = pairedWith
        self.formerConnection = formerConnection
        self.undeclaredParameters = undeclaredParameters
    }

    package init(from decoder: any Decoder) throws {
        app = try AppView(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        subscribers = try container.decode(Int.self, forKey: .subscribers)
        integrationKeys = try container.decode([IntegrationKeyState].self, forKey: .integrationKeys)
        integrationKeySharedWith = try container.decode([String].self, forKey: .integrationKeySharedWith)
        pairedWith = try container.decodeIfPresent(String.self, forKey: .pairedWith)
        formerConnection = try container.decodeIfPresent(
            FormerConnectionView.self, forKey: .formerConnection)
        undeclaredParameters = try container.decode(
            [UndeclaredParameter].self, forKey: .undeclaredParameters)
    }

    package func encode(to encoder: any Encoder) throws {
        try app.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(subscribers, forKey: .subscribers)
        try container.encode(integrationKeys, forKey: .integrationKeys)
        try container.encode(integrationKeySharedWith, forKey: .integrationKeySharedWith)
        try container.encode(pairedWith, forKey: .pairedWith)
        try container.encode(formerConnection, forKey: .formerConnection)
        try container.encode(undeclaredParameters, forKey: .undeclaredParameters)
    }
}

/// A parameter that devices registered with but that the app does not declare. Its values are not stored.
extension UndeclaredParameter: View {
    package static let about = [
        "name": "null stands for all names after the first 20",
        "registrations": "the number of registrations since the app's parameters last changed",
    ]
}

/// Returns an app's icon. Refuses an app that has none.
package struct ShowAppIcon: ShortOperation, UseCase {
    package static let name = "app.icon"
    package static let operation = Operation(
        .get, "/apps/{name}/icon", .read, "Returns an app's icon, or 404 if it has none.")
    package static let members: [Member<Self>] = [.path(\.name, "name", AppFields.nameHelp)]

    package var name = ""

    package init() {}

    package struct Answer: View, Equatable {
        package static let about = ["icon": "a PNG image in base64"]

        package var app: String
        package var width: Int
        package var height: Int
        package var icon: AppIconImage
    }

    package func perform(in operations: Operations) throws -> Answer {
        let app = try operations.requireApp(named: name)
        guard let icon = try operations.store.catalogue.icon(of: app.id) else {
            throw OperationError.absent("app \(app.name) has no icon; add one: \(see: UpdateApp.self)")
        }
        return Answer(
            app: app.name, width: icon.width, height: icon.height, icon: AppIconImage(png: icon.png))
    }
}

/// A PNG image. In JSON, it is encoded in base64. The use case that receives the image checks it.
package struct AppIconImage: TextValue, Equatable {
    package var png: [UInt8]

    package init(png: [UInt8]) { self.png = png }

    package static var allowed: String { "base64" }
    package static var exampleText: String { "" }
    package var jsonText: String { Data(png).base64EncodedString() }
    package init?(jsonText text: String) {
        guard let data = Data(base64Encoded: text) else { return nil }
        self.init(png: Array(data))
    }

    func icon() throws(OperationError) -> AppIcon {
        do throws(AppIcon.Fault) { return try AppIcon(png: png) } catch {
            throw .refused("the icon \(error)")
        }
    }
}

/// Deletes an application with its credential and its subscribers. Refused until all deliveries to the
/// application have ended.
///
/// The application is deleted immediately; its subscribers are deleted page by page. Subscribers that remain
/// after an interruption are deleted by the next deletion of an application or when the master next starts.
package struct DeleteApp: LongOperation, UseCase, Audited {
    package static let name = "app.delete"
    package static let operation = Operation(
        .delete, "/apps/{name}", .admin, "Deletes an app, its credential and its subscribers.")
    package static let members: [Member<Self>] = [.path(\.name, "name", AppFields.nameHelp)]
    package var auditText: AuditText? { .of(name) }

    package typealias Progress = Never

    package var name = ""

    package init() {}

    package func perform(in operations: Operations, watchedBy watch: Watch<Never>) throws -> DeletedApp {
        let store = operations.store
        let app = try operations.requireApp(named: name)
        let subscribers = try store.subscribers.count(of: app.id)
        var throttle = BulkWriteThrottle(operations)
        let writer = store.catalogueWriter(key: try operations.key())
        try writer.deleteApp(app.id, at: operations.clock.moment(), pause: { throttle.pause() })
        operations.forgetApps()
        return DeletedApp(name: app.name, subscribers: subscribers)
    }
}

package struct DeletedApp: View, Equatable {
    package var name: String
    /// The number of subscribers that the app had.
    package var subscribers: Int
}
