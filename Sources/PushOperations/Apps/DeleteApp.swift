internal import PushModel
package import PushStore

/// Deletes an application with its credential and its subscribers. Refused while a delivery to it has not
/// ended.
///
/// The application is gone at once; its subscribers go page by page, and what an interruption leaves of them
/// goes with the next deletion or start of the master.
package struct DeleteApp: LongOperation, UseCase, Audited {
    package static let name = "app.delete"
    package static let operation = Operation(
        .delete, "/apps/{name}", .admin, "Deletes an app with its credential and its subscribers.")
    package static let members: [Member<Self>] = [.path(\.name, "name", AppFields.nameHelp)]
    package var auditText: AuditText? { .of(name) }

    package typealias Progress = Never

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func perform(in operations: Operations, watchedBy watch: Watch<Never>) throws -> DeletedApp {
        let store = operations.store
        let app = try operations.requireApp(named: name)
        let subscribers = try store.subscribers.count(of: app.id)
        var throttle = BulkWriteThrottle(operations)
        let writer = store.catalogueWriter(key: try operations.key())
        try writer.deleteApp(app.id, at: operations.clock.moment(), pause: { throttle.pause() })
        return DeletedApp(name: app.name, subscribers: subscribers)
    }
}

package struct DeletedApp: View, Equatable {
    package var name: String
    /// How many it had.
    package var subscribers: Int
}
