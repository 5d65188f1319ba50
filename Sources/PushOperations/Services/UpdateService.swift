internal import PushModel
package import PushStore

/// Changes what people call a service, and how many messages its devices may be sent. Its name stays: documents
/// name it. Deliveries that are prepared from now on heed the cap as it is then.
package struct UpdateService: Change, UseCase {
    package static let name = "service.update"
    package static let operation = Operation(
        .patch, "/services/{name}", .admin, "Changes a service.")
    package static let members: [Member<Self>] =
        [.path(\.name, "name", "The service's name.")] + Member.all(of: \.changes)
    package var lookAfterwards: String { "service list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var changes = Changes<ServiceFields>()

    package init() {}

    package init(
        name: String, label: String? = nil, _ change: (inout Changes<ServiceFields>) -> Void = { _ in }
    ) {
        self.name = name
        changes.set(\.label, to: label.map { .some($0) })
        change(&changes)
    }

    package func prepare(in operations: Operations) throws -> Step<ServiceView> {
        guard !changes.isEmpty else {
            throw OperationError.refused("nothing to change: give \(ServiceFields.names)")
        }
        let service = try operations.requireService(named: name)
        var fields = ServiceFields(service)
        try changes.apply(to: &fields)
        try fields.check()
        let (key, apps) = (try operations.key(), try operations.store.catalogue.apps())
        return Step { store in
            let updated = try store.catalogueWriter(key: key).updateService(named: service.name) { service in
                // As it is by now: another change may have come first.
                var fields = ServiceFields(service)
                changes.merge(into: &fields)
                fields.apply(to: &service)
            }
            return ServiceView(updated, apps: apps)
        }
    }
}
