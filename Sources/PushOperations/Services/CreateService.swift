package import PushModel
package import PushStore

/// Creates an information service of type mobile app. Refuses a second one of that name.
package struct CreateService: ChangingOperation, UseCase {
    package static let name = "service.create"
    package static let operation = Operation(
        .post, "/services", .admin, "Creates a service.", status: 201)
    package static let members: [Member<Self>] =
        [.field(\.name, "name", "The service's name, unique in the instance.")] + Member.all(of: \.fields)
    package var lookAfterwards: String { "service list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var fields = ServiceFields()

    package init() {}

    package init(name: String, label: String? = nil, frequencyCap: FrequencyCap? = nil) {
        self.name = name
        fields = ServiceFields(label: label, frequencyCap: frequencyCap)
    }

    package func perform(in operations: Operations) throws -> ServiceView {
        try NameRule.check(addressed: name, "the service's name")
        try fields.check()
        let writer = operations.store.catalogueWriter(key: try operations.key())
        let service = try writer.createService(
            name: name, label: fields.label ?? name, frequencyCap: fields.frequencyCap)
        return ServiceView(service, apps: [])
    }
}
