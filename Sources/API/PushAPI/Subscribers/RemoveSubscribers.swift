internal import PushModel
package import PushStore

/// Removes the devices of one person, or one device. Messages that were sent to these devices remain in the
/// logs with the user key (``EraseSubscribers`` removes the user key, too). Messages that have not yet been
/// sent to these devices end. A device that registers again is a new subscriber.
package struct RemoveSubscribers: ChangingOperation, UseCase {
    package static let name = "subscribers.remove"
    package static let operation = Operation(
        .delete, ShowSubscribers.path, .admin, "Removes a device, or all of a person's devices.", .lengthy,
        reach: .services)
    package static let example = #"{"userKey": "anna"}"#
    package static let members: [Member<Self>] = [
        .query(\.who.token, "token", SubscriberName.tokenHelp).secret,
        .query(\.who.userKey, "userKey", SubscriberName.userKeyHelp).secret,
        .query(\.app, "app", "Remove only devices of this app."),
    ]
    package static let alternatives = SubscriberName.alternatives
    package var followUpCommand: String { "subscribers count" }
    package var auditText: AuditText? { .of("\(who.described) of \(app.map { "app \($0)" } ?? "all apps")") }

    private var who = SubscriberName.token("")
    /// The app from which devices are removed; `nil` means every app.
    private var app: String?

    package init() {}

    package init(_ who: SubscriberName, app: String? = nil) {
        self.who = who
        self.app = app
    }

    package func perform(in operations: Operations) throws -> RemovedSubscribers {
        let apps = try operations.appNames(named: app)
        let found = try who.all(of: apps, in: operations).map(\.subscription)
        var removed = 0
        for page in found.pages(of: SubscriberRemover.subscriptionsPerCall) {
            removed += try operations.store.subscriberRemover.remove(page, at: operations.clock.moment())
        }
        return RemovedSubscribers(removed: removed)
    }
}

package struct RemovedSubscribers: View, Equatable {
    package var removed: Int
}
