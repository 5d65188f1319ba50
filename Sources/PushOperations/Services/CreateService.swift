internal import PushModel
package import PushStore

/// Creates an information service of type mobile app. Refuses a second one of that name.
package struct CreateService: Change, UseCase {
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

    package init(name: String, label: String? = nil, _ complete: (inout ServiceFields) -> Void = { _ in }) {
        self.name = name
        fields.label = label
        complete(&fields)
    }

    package func prepare(in operations: Operations) throws -> Step<ServiceView> {
        try NameRule.check(addressed: name, "the service's name")
        try fields.check()
        let key = try operations.key()
        return Step { store in
            let writer = store.catalogueWriter(key: key)
            return ServiceView(try writer.createService(name: name, label: name, fields.apply), apps: [])
        }
    }
}
