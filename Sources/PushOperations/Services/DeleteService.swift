internal import PushModel
package import PushStore

/// Deletes a service, which must have no apps, and its templates. Logs of what was sent to those that it had stay.
package struct DeleteService: ChangingOperation, UseCase {
    package static let name = "service.delete"
    package static let operation = Operation(
        .delete, "/services/{name}", .admin, "Deletes a service that has no apps, and its templates.")
    package static let members: [Member<Self>] = [.path(\.name, "name", "The service's name.")]
    package var lookAfterwards: String { "service list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> DeletedService {
        let service = try operations.requireService(named: name)
        try operations.store.catalogueWriter(key: try operations.key()).deleteService(named: service.name)
        return DeletedService(name: service.name)
    }
}

package struct DeletedService: Members, Equatable {
    package static let members: [Member<Self>] = [.field(\.name, "name", "The service's name.")]
    package var name = ""

    package init() {}
    init(name: String) { self.name = name }
}
