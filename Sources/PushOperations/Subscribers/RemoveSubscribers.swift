internal import PushModel
package import PushStore

/// Removes the devices of one person, or one device. What was sent to them stays in the logs with the user key
/// (``EraseSubscribers`` leaves nothing); what is still to be sent to them ends. A device that registers again is a
/// new subscriber.
package struct RemoveSubscribers: ChangingOperation {
    package static let name = "subscribers.remove"
    package var lookAfterwards: String { "subscribers count" }
    package var auditText: AuditText? { .of("\(who.described) of \(app.map { "app \($0)" } ?? "all apps")") }

    package var who: SubscriberName
    /// nil: of every app.
    package var app: String?

    package init(_ who: SubscriberName, app: String? = nil) {
        self.who = who
        self.app = app
    }

    package func perform(in operations: Operations) throws -> RemovedSubscribers {
        let apps = try operations.apps(named: app)
        let found = try who.all(of: apps, in: operations).map(\.subscription)
        guard !found.isEmpty else { throw who.isNobody(of: app) }
        var removed = 0
        for page in found.pages(of: SubscriberRemover.subscriptionsPerCall) {
            removed += try operations.store.subscriberRemover.remove(page, at: operations.clock.moment())
        }
        return RemovedSubscribers(removed: removed)
    }
}

package struct RemovedSubscribers: Codable, Equatable, Sendable {
    package var removed: Int
}
