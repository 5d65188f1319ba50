package import PushModel
internal import PushStore

/// One application with the number of its subscribers, which is counted page by page.
package struct ShowApp: ShortOperation {
    package static let name = "app.show"

    package var name: String

    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> AppDetails {
        let app = try operations.requireApp(named: name)
        return AppDetails(
            app: try AppView(app, in: operations.store.catalogue),
            subscribers: try operations.store.subscribers.count(of: app.id),
            undeclaredParameters: try operations.store.catalogue.undeclaredParameters(of: app.id).map {
                UndeclaredParameterView(
                    name: $0.name, registrations: $0.registrations, lastAt: $0.last)
            })
    }
}

/// An app and what is counted for it, as one object.
package struct AppDetails: Codable, Equatable, Sendable {
    package var app: AppView
    package var subscribers: Int
    /// The most frequent first.
    package var undeclaredParameters: [UndeclaredParameterView]

    private enum Key: CodingKey { case subscribers, undeclaredParameters }

    init(app: AppView, subscribers: Int, undeclaredParameters: [UndeclaredParameterView]) {
        self.app = app
        self.subscribers = subscribers
        self.undeclaredParameters = undeclaredParameters
    }

    package init(from decoder: any Decoder) throws {
        app = try AppView(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        subscribers = try container.decode(Int.self, forKey: .subscribers)
        undeclaredParameters = try container.decode(
            [UndeclaredParameterView].self, forKey: .undeclaredParameters)
    }

    package func encode(to encoder: any Encoder) throws {
        try app.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(subscribers, forKey: .subscribers)
        try container.encode(undeclaredParameters, forKey: .undeclaredParameters)
    }
}

/// A parameter that devices registered with and the app does not declare. Its values are not stored.
package struct UndeclaredParameterView: Codable, Equatable, Sendable {
    /// nil for all names beyond the limit together.
    package var name: String?
    /// Registrations since the app's parameters last changed.
    package var registrations: Int
    package var lastAt: WallTime
}
