package import PushModel
package import PushStore

/// Changes what people call a service, and how many messages its devices may be sent. Its name stays: documents
/// name it. Deliveries that are prepared from now on heed the cap as it is then.
package struct UpdateService: ChangingOperation, UseCase {
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

    /// - Parameters:
    ///   - label: nil keeps it.
    ///   - frequencyCap: nil keeps it; a change to nil removes it.
    package init(name: String, label: String? = nil, frequencyCap: FrequencyCap?? = nil) {
        self.name = name
        changes.set(\.label, to: label.map { .some($0) })
        changes.set(\.frequencyCap, to: frequencyCap)
    }

    package func perform(in operations: Operations) throws -> ServiceView {
        guard !changes.isEmpty else {
            throw OperationError.refused("nothing to change: give a label or a frequency cap")
        }
        let service = try operations.requireService(named: name)
        var fields = ServiceFields(service)
        try changes.apply(to: &fields)
        try fields.check()
        let writer = operations.store.catalogueWriter(key: try operations.key())
        let updated = try writer.updateService(
            named: service.name, label: fields.label ?? name, frequencyCap: .some(fields.frequencyCap))
        return ServiceView(updated, apps: try operations.store.catalogue.apps())
    }
}
