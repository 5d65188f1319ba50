internal import PushModel
package import PushStore
internal import PushWire

/// Saves a content under a name, as the next version of it; what the newest version says already makes none.
/// What no app of the service could ever be sent is refused.
package struct SaveTemplate: ChangingOperation {
    package static let name = "template.save"
    package var lookAfterwards: String { "template list" }
    package var auditText: AuditText? { .making("\(service)/\(name)") }

    package var name: String
    package var service: String
    /// A template, JSON: see ``TemplateDocument``.
    @Base64Bytes package var document: [UInt8]
    /// What errors call the document.
    package var documentName: String

    package init(name: String, service: String, document: [UInt8], documentName: String) {
        self.name = name
        self.service = service
        self.document = document
        self.documentName = documentName
    }

    package func perform(in operations: Operations) throws -> SavedTemplate {
        try NameRule.check(addressed: name, "the template's name")
        _ = try operations.requireService(named: service)
        let read = try parsed()
        let apps = try operations.store.catalogue.serviceWithApps(named: service)?.apps ?? []
        let check = try TemplateCheck(read, for: apps, operations.store.targets)
        guard check.faults.isEmpty else {
            throw OperationError(.refused, lines: check.faults.map { "\(documentName): \($0)" })
        }
        var body: [UInt8] = []
        read.value.append(to: &body)
        let saved = try operations.store.templateWriter.save(
            name, of: service, body: body, at: operations.clock.moment())
        operations.desk.forgetTemplates()
        let lines = apps.isEmpty ? ["service \(service) has no app: the content was checked for none"] : []
        return SavedTemplate(
            name: name, service: service, version: saved.version, changed: saved.isNew,
            warnings: lines + check.warnings)
    }

    private func parsed() throws(OperationError) -> TemplateDocument {
        do throws(WireError) { return try TemplateDocument.parse(document) } catch {
            throw OperationError(.refused, lines: error.lines.map { "\(documentName): \($0)" })
        }
    }
}

package struct SavedTemplate: View, Equatable {
    package static let about = [
        "version": "the newest, whether or not this request made it",
        "changed": "false: the newest version has the same content",
        "warnings": "what is probably a mistake, or is left to deliveries",
    ]

    package var name: String
    package var service: String
    package var version: Int64
    package var changed: Bool
    package var warnings: [String]
}
