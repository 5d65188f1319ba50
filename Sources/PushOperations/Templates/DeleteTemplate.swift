internal import PushModel
package import PushStore
internal import PushWire

/// Deletes a template with all of its versions. What was made of it keeps its own content.
package struct DeleteTemplate: ChangingOperation {
    package static let name = "template.delete"
    package var lookAfterwards: String { "template list" }
    package var auditText: AuditText? { .of("\(service)/\(name)") }

    package var name: String
    package var service: String

    package init(name: String, service: String) {
        self.name = name
        self.service = service
    }

    package func perform(in operations: Operations) throws -> DeletedTemplate {
        let owner = try operations.requireService(named: service)
        _ = try operations.template(TemplateReference(name: name), of: owner) { .absent($0) }
        let versions = try operations.store.templateWriter.delete(name, of: service)
        operations.desk.forgetTemplates()
        return DeletedTemplate(name: name, service: service, versions: versions)
    }
}

package struct DeletedTemplate: View, Equatable {
    package var name: String
    package var service: String
    /// How many there were.
    package var versions: Int
}
