internal import PushModel
internal import PushStore

/// Counts the subscribers of one application or of each application, and how many of them deliveries leave
/// out. Subscribers are counted page by page.
package struct CountSubscribers: ShortOperation, UseCase {
    package static let name = "subscribers.count"
    package static let operation = Operation(
        .get, "/subscribers/count", .read,
        "Returns the number of subscribers by app and state. The operation reads all subscribers.",
        reach: .services)
    package static let members: [Member<Self>] = [.query(\.app, "app", "Count only subscribers of this app.")]

    package private(set) var app: String?

    package init() {}
    package init(app: String?) { self.app = app }

    package func perform(in operations: Operations) throws -> [SubscriberCounts] {
        let apps = try operations.apps(named: app)
        return try apps.map { try SubscriberCounts(of: $0, in: operations.store) }
    }
}

/// The number of subscribers of an app, and the number of those that deliveries leave out.
package struct SubscriberCounts: View, Equatable {
    package var app: String
    /// The number of all subscribers.
    package var subscribers: Int
    /// The number of subscribers to whom messages are sent.
    package var valid: Int
    package var quarantined: Int
    package var disabled: Int
    /// The number of subscribers whose person has opted out.
    package var optedOut: Int

    init(of app: App, in store: Store) throws(StoreError) {
        self.app = app.name
        subscribers = try store.subscribers.count(of: app.id)
        if let states = try store.subscribers.states(of: app.id) {
            (quarantined, disabled) = (states.quarantined, states.disabled)
            optedOut = states.optedOut
        } else {
            let excluded = try store.quarantine.counts(of: app.id)[app.id] ?? QuarantineCounts()
            (quarantined, disabled, optedOut) = (excluded.quarantined, excluded.disabled, 0)
        }
        // Numbers that are counted page by page may change between the pages.
        valid = max(subscribers - disabled - quarantined - optedOut, 0)
    }
}
