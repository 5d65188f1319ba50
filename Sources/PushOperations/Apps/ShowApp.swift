internal import PushModel
package import PushStore

/// One application with the number of its subscribers, which is counted page by page.
package struct ShowApp: ShortOperation, UseCase {
    package static let name = "app.show"
    package static let operation = Operation(.get, "/apps/{name}", .read, "One app.")
    package static let members: [Member<Self>] = [.path(\.name, "name", AppFields.nameHelp)]

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> AppDetails {
        let app = try operations.requireApp(named: name)
        let shared = SharedIntegrationKey.all(among: try operations.store.catalogue.apps())
        return AppDetails(
            app: try AppView(app, in: operations.store.catalogue),
            subscribers: try operations.store.subscribers.count(of: app.id),
            integrationKeySharedWith: shared.flatMap { $0.others(than: app) },
            undeclaredParameters: try operations.store.catalogue.undeclaredParameters(of: app.id))
    }
}

/// An app and what is counted for it, as one object.
package struct AppDetails: View, Equatable {
    package static let about = [
        "integrationKeySharedWith": "apps of an earlier version with the same key; usually empty",
        "undeclaredParameters":
            "parameters that devices registered with and the app does not declare, the most frequent first",
    ]

    package var app: AppView
    package var subscribers: Int
    package var integrationKeySharedWith: [String]
    package var undeclaredParameters: [UndeclaredParameter]

    private enum Key: CodingKey { case subscribers, integrationKeySharedWith, undeclaredParameters }

    init(
        app: AppView, subscribers: Int, integrationKeySharedWith: [String],
        undeclaredParameters: [UndeclaredParameter]
    ) {
        self.app = app
        self.subscribers = subscribers
        self.integrationKeySharedWith = integrationKeySharedWith
        self.undeclaredParameters = undeclaredParameters
    }

    package init(from decoder: any Decoder) throws {
        app = try AppView(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        subscribers = try container.decode(Int.self, forKey: .subscribers)
        integrationKeySharedWith = try container.decode([String].self, forKey: .integrationKeySharedWith)
        undeclaredParameters = try container.decode(
            [UndeclaredParameter].self, forKey: .undeclaredParameters)
    }

    package func encode(to encoder: any Encoder) throws {
        try app.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(subscribers, forKey: .subscribers)
        try container.encode(integrationKeySharedWith, forKey: .integrationKeySharedWith)
        try container.encode(undeclaredParameters, forKey: .undeclaredParameters)
    }
}

/// A parameter that devices registered with and the app does not declare. Its values are not stored.
extension UndeclaredParameter: View {
    package static let about = [
        "name": "null: all names beyond the first 20",
        "registrations": "since the app's parameters last changed",
    ]
}
