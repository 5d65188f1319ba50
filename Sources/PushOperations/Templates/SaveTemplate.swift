internal import PushModel
package import PushStore
internal import PushWire

/// Saves a content under a name, as the next version of the template. A content that the newest version has already
/// makes no new version. Refuses a content that no app of the service could be sent.
package struct SaveTemplate: Change, UseCase {
    package static let name = "template.save"
    package static let operation = Operation(
        .put, ShowTemplate.path, .admin,
        "Saves a template as its next version. A content that the newest version has already makes no new version.",
        maxBodyBytes: TemplateDocument.maximumBytes)
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
        .document(\.document, schema: TemplateDocument.schema),
        .inner(\.documentName, "documentName", default: "body"),
    ]
    package var lookAfterwards: String { "template list" }
    package var auditText: AuditText? { .making("\(service)/\(name)") }

    package private(set) var name = ""
    package private(set) var service = ""
    /// See ``TemplateDocument``.
    package private(set) var document: [UInt8] = []
    /// What errors call the document.
    package private(set) var documentName = "body"

    package init() {}

    package init(name: String, service: String, document: [UInt8], documentName: String) {
        (self.name, self.service) = (name, service)
        (self.document, self.documentName) = (document, documentName)
    }

    package func prepare(in operations: Operations) throws -> Step<SavedTemplate> {
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
        let lines = apps.isEmpty ? ["service \(service) has no app: the content was checked for none"] : []
        let (now, desk) = (operations.clock.moment(), operations.desk)
        return Step(effects: { _ in desk.forgetTemplates() }) { [body] store in
            let saved = try store.templateWriter.save(name, of: service, body: body, at: now)
            return SavedTemplate(
                name: name, service: service, version: saved.version, changed: saved.isNew,
                warnings: lines + check.warnings)
        }
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
