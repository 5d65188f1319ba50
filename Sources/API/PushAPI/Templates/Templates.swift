internal import PushConnectors
package import PushModel
package import PushStore
package import PushWire

/// A template that a request names.
struct NamedTemplate: Sendable {
    var stored: StoredTemplate
    /// The contents of the template.
    var value: JSONValue

    var version: TemplateVersion { TemplateVersion(name: stored.name, version: stored.version) }
}

extension Operations {
    /// Returns the template that a request names.
    /// - Parameter refusal: Creates the error from a text that lists the existing templates or versions.
    /// - Throws: If there is no template of this name, or no such version.
    func template(
        _ reference: TemplateReference, of service: Service, refusal: (String) -> OperationError
    ) throws -> NamedTemplate {
        let (templates, name) = (store.templates, reference.name)
        let shown = name.printable(atMost: 64)
        guard
            let stored = try templates.template(named: name, of: service.id, version: reference.version)
        else {
            if let kept = try templates.template(named: name, of: service.id)?.versions {
                let versions =
                    kept.count == 1
                    ? "its only version is \(kept.lowerBound)"
                    : "its versions are \(kept.lowerBound) to \(kept.upperBound)"
                throw refusal(
                    "template \(shown) of service \(service.name) has no version \(reference.version ?? 0); "
                        + versions)
            }
            let names = try templates.names(of: service.id)
            let hint =
                names.isEmpty
                ? "save one: \(see: SaveTemplate.self)"
                : "it has: \(ExistingNames.list(names, like: name))"
            throw refusal("service \(service.name) has no template \(shown); \(hint)")
        }
        do throws(JSONFault) {
            return NamedTemplate(stored: stored, value: try JSONParser.parse(stored.body))
        } catch {
            throw StoreError(
                .unsound(what: "template \(shown) of service \(service.name) is not JSON"),
                path: store.path)
        }
    }
}

/// Lists all templates, or those of a service, ordered by service and name.
package struct ListTemplates: ShortOperation, UseCase {
    package static let name = "template.list"
    package static let operation = Operation(
        .get, "/services/{service}/templates", .read, "Lists a service's templates by name.")
    package static let members: [Member<Self>] = [.path(\.service, "service", "The service's name.")]

    /// The service; `nil` means all services.
    package var service: String?

    package init() {}

    package func perform(in operations: Operations) throws -> [TemplateSummaryView] {
        let owner = try service.map { try operations.requireService(named: $0).id }
        return try operations.store.templates.list(of: owner).map { TemplateSummaryView($0) }
    }
}

/// Shows one version of a template.
package struct ShowTemplate: ShortOperation, UseCase {
    package static let name = "template.show"
    static let path = "/services/{service}/templates/{name}"
    package static let operation = Operation(.get, path, .read, "Returns the newest version of a template.")
    package static let operations = [
        operation,
        Operation(
            .get, path + "/versions/{version}", .read, "Returns one version of a template.",
            verb: "showVersion"),
    ]
    package static let versions =
        Int(TemplateReference.versions.lowerBound)...Int(TemplateReference.versions.upperBound)
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
        .path(\.version, "version", "The number of the version.", in: versions),
    ]

    package private(set) var name = ""
    package private(set) var service = ""
    /// `nil` means the newest version.
    package private(set) var version: Int64?

    package init() {}
    package init(name: String, service: String, version: Int64? = nil) {
        (self.name, self.service, self.version) = (name, service, version)
    }

    package func perform(in operations: Operations) throws -> TemplateView {
        let owner = try operations.requireService(named: service)
        let reference = TemplateReference(name: name, version: version)
        let found = try operations.template(reference, of: owner) { .absent($0) }
        return TemplateView(found.stored, service: service, document: found.value)
    }
}

/// A template in a list.
package struct TemplateSummaryView: View, Equatable {
    package static let about = [
        "version": "the newest version", "versions": "the number of versions that are kept",
    ]

    package var name: String
    package var service: String
    package var version: Int64
    package var createdAt: WallMoment
    package var versions: Int64

    init(_ summary: TemplateSummary) {
        (name, service, createdAt) = (summary.name, summary.service, summary.created)
        version = summary.versions.upperBound
        versions = Int64(summary.versions.count)
    }
}

/// A version of a template.
package struct TemplateView: View, Equatable {
    package var name: String
    package var service: String
    package var version: Int64
    package var createdAt: WallMoment
    /// The oldest and the newest version that are kept. All versions between them are kept, too.
    package var oldestVersion: Int64
    package var newestVersion: Int64
    package var document: TemplateContents

    init(_ stored: StoredTemplate, service: String, document: JSONValue) {
        (name, version, createdAt) = (stored.name, stored.version, stored.created)
        (oldestVersion, newestVersion) = (stored.versions.lowerBound, stored.versions.upperBound)
        self.service = service
        self.document = TemplateContents(value: document)
    }
}

/// The contents that were saved as a template.
package struct TemplateContents: Described, Codable, Equatable {
    package var value: JSONValue

    package static var schema: Schema { TemplateDocument.schema(ConnectorCatalogue.contents) }
    package static var sample: Self? { SaveTemplate.exampleBody.map { Self(value: $0) } }
    package var json: JSONValue? { value }

    init(value: JSONValue) { self.value = value }
    package init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// Saves a content under a name, as the next version of the template. If the newest version already has this
/// content, no new version is created. Refuses a content that could not be sent to any app of the service.
package struct SaveTemplate: Change, UseCase {
    package static let name = "template.save"
    package static let operation = Operation(
        .put, ShowTemplate.path, .admin,
        """
        Saves a template as its next version. No version is created if the newest version has the same \
        content.
        """,
        maxBodyBytes: TemplateDocument.maximumBytes)
    package static let example =
        #"""
        {"content": {"title": "Spring sale", "body": "20% off until Sunday"}, "schedule": {"validity":
        "12h"}}
        """#
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
        .document(\.document, schema: TemplateDocument.schema(ConnectorCatalogue.contents)),
        .inner(\.documentName, "documentName", default: ""),
    ]
    package var followUpCommand: String { "template list" }
    package var auditText: AuditText? { .making("\(service)/\(name)") }

    package private(set) var name = ""
    package private(set) var service = ""
    /// See ``TemplateDocument``.
    package private(set) var document: [UInt8] = []
    /// The name of the document in error texts.
    package private(set) var documentName = ""

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
            throw OperationError(.refused, lines: check.faults.map(documentName.naming))
        }
        var body: [UInt8] = []
        read.value.append(to: &body)
        let lines =
            apps.isEmpty ? ["service \(service) has no app, so the content was not checked for any app"] : []
        let (now, messageCache) = (operations.clock.moment(), operations.messageCache)
        return Step(effects: { _ in messageCache.forgetTemplates() }) { [body] store in
            let saved = try store.templateWriter.save(name, of: service, body: body, at: now)
            return SavedTemplate(
                name: name, service: service, version: saved.version, changed: saved.isNew,
                warnings: lines + check.warnings)
        }
    }

    private func parsed() throws(OperationError) -> TemplateDocument {
        do throws(WireError) {
            return try TemplateDocument.parse(document, contents: ConnectorCatalogue.contents)
        } catch {
            throw OperationError(error, of: documentName)
        }
    }
}

package struct SavedTemplate: View, Equatable {
    package static let about = [
        "version": "the newest version, whether or not this request created it",
        "changed": "false if the newest version already had the same content",
        "warnings": "probable mistakes, and what each delivery must provide",
    ]

    package var name: String
    package var service: String
    package var version: Int64
    package var changed: Bool
    package var warnings: [String]
}

/// Deletes a template with all of its versions. Deliveries that were submitted with it keep their content.
package struct DeleteTemplate: Change, UseCase {
    package static let name = "template.delete"
    package static let operation = Operation(
        .delete, ShowTemplate.path, .admin,
        "Deletes a template. Deliveries that used it keep their content.")
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
    ]
    package var followUpCommand: String { "template list" }
    package var auditText: AuditText? { .of("\(service)/\(name)") }

    package var name = ""
    package var service = ""

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<DeletedTemplate> {
        let owner = try operations.requireService(named: service)
        _ = try operations.template(TemplateReference(name: name), of: owner) { .absent($0) }
        return Step(effects: { [messageCache = operations.messageCache] _ in messageCache.forgetTemplates() })
        { store in
            let versions = try store.templateWriter.delete(name, of: service)
            return DeletedTemplate(name: name, service: service, versions: versions)
        }
    }
}

package struct DeletedTemplate: View, Equatable {
    package static let about = ["versions": "the number of versions that the template had"]

    package var name: String
    package var service: String
    package var versions: Int
}
