internal import PushModel
package import PushStore
internal import PushWire

/// Deletes a template with all of its versions. Deliveries that were submitted with it keep their content.
package struct DeleteTemplate: Change, UseCase {
    package static let name = "template.delete"
    package static let operation = Operation(
        .delete, ShowTemplate.path, .admin,
        "Deletes a template. Deliveries that were submitted with it keep their content.")
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
    ]
    package var lookAfterwards: String { "template list" }
    package var auditText: AuditText? { .of("\(service)/\(name)") }

    package private(set) var name = ""
    package private(set) var service = ""

    package init() {}
    package init(name: String, service: String) { (self.name, self.service) = (name, service) }

    package func prepare(in operations: Operations) throws -> Step<DeletedTemplate> {
        let owner = try operations.requireService(named: service)
        _ = try operations.template(TemplateReference(name: name), of: owner) { .absent($0) }
        return Step(effects: { [desk = operations.desk] _ in desk.forgetTemplates() }) { store in
            let versions = try store.templateWriter.delete(name, of: service)
            return DeletedTemplate(name: name, service: service, versions: versions)
        }
    }
}

package struct DeletedTemplate: View, Equatable {
    package static let about = ["versions": "how many it had"]

    package var name: String
    package var service: String
    package var versions: Int
}
