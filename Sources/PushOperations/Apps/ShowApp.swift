internal import PushModel
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
            subscribers: try operations.store.subscribers.count(of: app.id))
    }
}

/// An app and what is counted of it, as one object.
package struct AppDetails: Codable, Equatable, Sendable {
    package var app: AppView
    package var subscribers: Int

    private enum Key: CodingKey { case subscribers }

    init(app: AppView, subscribers: Int) {
        self.app = app
        self.subscribers = subscribers
    }

    package init(from decoder: any Decoder) throws {
        app = try AppView(from: decoder)
        subscribers = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .subscribers)
    }

    package func encode(to encoder: any Encoder) throws {
        try app.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(subscribers, forKey: .subscribers)
    }
}
