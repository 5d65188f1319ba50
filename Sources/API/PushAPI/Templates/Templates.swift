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
    /// Returns the template that a delivery or a message of a service names: the service's own template of
    /// this name, or otherwise the one that belongs to no service.
    /// - Parameters:
    ///   - service: `nil` if the delivery does not name its service yet.
    ///   - refusal: Creates the error from a text that lists the existing templates or versions.
    /// - Throws: If there is no template of this name, or no such version.
    func template(
        _ reference: TemplateReference, usedBy service: Service?, refusal: (String) -> OperationError
    ) throws -> NamedTemplate {
        guard let service else { return try template(reference, of: nil, refusal: refusal) }
        let names = try store.templates.names(of: service.id)
        let shared = try store.templates.names(of: StoredTemplate.noService)
        if !names.contains(reference.name), shared.contains(reference.name) {
            return try template(reference, of: nil, refusal: refusal)
        }
        return try template(reference, of: service, orAmong: shared, refusal: refusal)
    }

    /// Returns a template of a service.
    /// - Parameters:
    ///   - service: `nil` if the template belongs to no service.
    ///   - others: Further templates that the caller can use, for the error.
    func template(
        _ reference: TemplateReference, of service: Service?, orAmong others: [String] = [],
        refusal: (String) -> OperationError
    ) throws -> NamedTemplate {
        let (templates, name) = (store.templates, reference.name)
        let shown = name.printable(atMost: 64)
        let owner = service?.id ?? StoredTemplate.noService
        let described = service.map { "template \(shown) of service \($0.name)" } ?? "template \(shown)"
        guard let stored = try templates.template(named: name, of: owner, version: reference.version)
        else {
            if let kept = try templates.template(named: name, of: owner)?.versions {
                let versions =
                    kept.count == 1
                    ? "its only version is \(kept.lowerBound)"
                    : "its versions are \(kept.lowerBound) to \(kept.upperBound)"
                throw refusal("\(described) has no version \(reference.version ?? 0); \(versions)")
            }
            throw refusal(try absence(of: name, of: service, orAmong: others))
        }
        do throws(JSONFault) {
            return NamedTemplate(stored: stored, value: try JSONParser.parse(stored.body))
        } catch {
            throw StoreError(.unsound(what: "\(described) is not JSON"), path: store.path)
        }
    }

    private func absence(
        of name: String, of service: Service?, orAmong others: [String]
    ) throws(StoreError) -> String {
        let shown = name.printable(atMost: 64)
        let lack =
            service.map { "service \($0.name) has no template \(shown)" }
            ?? "no template without a service is named \(shown)"
        let owners = try service == nil ? store.templates.services(withTemplate: name, limit: 4) : []
        if !owners.isEmpty {
            let services = owners.prefix(3).joined(separator: ", ") + (owners.count > 3 ? ", …" : "")
            return "\(lack); name the service of the template: \(services)"
        }
        let own = try store.templates.names(of: service?.id ?? StoredTemplate.noService)
        let names = own + others.filter { !own.contains($0) }
        return names.isEmpty
            ? "\(lack); save one: \(see: SaveTemplate.self)"
            : "\(lack); \(service == nil ? "there is" : "it has"): \(ExistingNames.list(names, like: name))"
    }

    /// Returns the service that a request names; `nil` if it names none.
    fileprivate func owner(named service: String?) throws -> Service? {
        try service.map { try requireService(named: $0) }
    }
}

/// Lists all templates, or those of a service, ordered by service and name.
package struct ListTemplates: ShortOperation, UseCase {
    package static let name = "template.list"
    package static let operation = Operation(
        .get, "/services/{service}/templates", .read, "Lists a service's templates by name.")
    package static let operations = [
        operation,
        Operation(
            .get, sharedPath, .read,
            "Lists all templates by service and name, beginning with those that belong to no service.",
            verb: "listAll", reach: .services),
    ]
    static let sharedPath = "/templates"
    package static let members: [Member<Self>] = [.path(\.service, "service", "The service's name.")]

    /// The service; `nil` means all templates.
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
        Operation(
            .get, sharedPath, .read, "Returns the newest version of a template that belongs to no service.",
            verb: "showShared", reach: .services),
        Operation(
            .get, sharedPath + "/versions/{version}", .read,
            "Returns one version of a template that belongs to no service.", verb: "showSharedVersion",
            reach: .services),
    ]
    static let sharedPath = ListTemplates.sharedPath + "/{name}"
    package static let versions =
        Int(TemplateReference.versions.lowerBound)...Int(TemplateReference.versions.upperBound)
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
        .path(\.version, "version", "The number of the version.", in: versions),
    ]

    package private(set) var name = ""
    /// `nil` if the template belongs to no service.
    package private(set) var service: String?
    /// `nil` means the newest version.
    package private(set) var version: Int64?

    package init() {}
    package init(name: String, service: String?, version: Int64? = nil) {
        (self.name, self.service, self.version) = (name, service, version)
    }

    package func perform(in operations: Operations) throws -> TemplateView {
        let owner = try operations.owner(named: service)
        let reference = TemplateReference(name: name, version: version)
        let found = try operations.template(reference, of: owner) { .absent($0) }
        return TemplateView(found.stored, service: service, document: found.value)
    }
}

/// A template in a list.
package struct TemplateSummaryView: View, Equatable {
    package static let about = [
        "service": ownerNote, "version": "the newest version",
        "versions": "the number of versions that are kept",
    ]
    static let ownerNote =
        "null if the template belongs to no service, so that deliveries of all services can use it"

    package var name: String
    package var service: String?
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
    package static let about = ["service": TemplateSummaryView.ownerNote]

    package var name: String
    package var service: String?
    package var version: Int64
    package var createdAt: WallMoment
    /// The oldest and the newest version that are kept. All versions between them are kept, too.
    package var oldestVersion: Int64
    package var newestVersion: Int64
    package var document: TemplateContents

    init(_ stored: StoredTemplate, service: String?, document: JSONValue) {
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

/// Saves a document under a name, as the next version of the template. If the newest version already has this
/// content, no new version is created. Refuses a document from which no delivery of the service could be
/// created.
package struct SaveTemplate: Change, UseCase {
    package static let name = "template.save"
    package static let operation = Operation(
        .put, ShowTemplate.path, .admin,
        """
        Saves a template as its next version. No version is created if the newest version has the same \
        content.
        """,
        maxBodyBytes: TemplateDocument.maximumBytes)
    package static let operations = [
        operation,
        Operation(
            .put, ShowTemplate.sharedPath, .admin,
            "Saves a template that belongs to no service as its next version. Deliveries of all services can "
                + "use it.",
            maxBodyBytes: TemplateDocument.maximumBytes, verb: "saveShared", reach: .instance),
    ]
    package static let example =
        #"""
        {"target": {"where": {"city": "Paris"}}, "content": {"title": "Spring sale", "body":
        "20% off until Sunday"}, "schedule": {"validity": "12h"}}
        """#
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
        .document(\.document, schema: TemplateDocument.schema(ConnectorCatalogue.contents)),
        .inner(\.documentName, "documentName", default: ""), .inner(\.replaced, "replaced"),
    ]
    package var followUpCommand: String { "template list" }
    package var auditText: AuditText? { .making(service.map { "\($0)/\(name)" } ?? name) }

    package private(set) var name = ""
    /// `nil` if the template belongs to no service.
    package private(set) var service: String?
    /// See ``TemplateDocument``.
    package private(set) var document: [UInt8] = []
    /// The name of the document in error texts.
    package private(set) var documentName = ""
    /// The newest version that the caller knows, 0 if it knows none. If there is a newer one, the request is
    /// refused as a conflict. `nil` replaces any version.
    package private(set) var replaced: Int64?

    package init() {}

    package init(
        name: String, service: String?, document: [UInt8], documentName: String,
        replacing replaced: Int64? = nil
    ) {
        (self.name, self.service) = (name, service)
        (self.document, self.documentName) = (document, documentName)
        self.replaced = replaced
    }

    package func prepare(in operations: Operations) throws -> Step<SavedTemplate> {
        try NameRule.check(addressed: name, "the template's name")
        if let service { _ = try operations.requireService(named: service) }
        let check = try TemplateCheck(try parsed(), of: service, in: operations)
        guard check.faults.isEmpty else {
            throw OperationError(.refused, lines: check.faults.map(documentName.naming))
        }
        var body: [UInt8] = []
        check.template.value.append(to: &body)
        let (now, messageCache) = (operations.clock.moment(), operations.messageCache)
        return Step(effects: { _ in messageCache.forgetTemplates() }) { [body] store in
            let saved = try store.templateWriter.save(
                name, of: service, body: body, replacing: replaced, at: now)
            guard !saved.isOutdated else { throw conflict(with: saved.version, in: store) }
            return SavedTemplate(
                name: name, service: service, version: saved.version, changed: saved.isNew,
                warnings: check.warnings)
        }
    }

    /// Returns the error for a caller that does not know the newest version.
    private func conflict(with newest: Int64, in store: Store) -> OperationError {
        let shown = name.printable(atMost: 64)
        guard newest > 0 else { return .conflict("template \(shown) was deleted in the meantime") }
        let what = service.map { "\($0)/\(name)" } ?? name
        let line = try? store.audit.page(before: nil, limit: 100).first {
            $0.action == Self.name && $0.what.hasPrefix(what)
        }
        let who = line.map { " by \($0.who)" } ?? ""
        return .conflict(
            "template \(shown) was changed\(who) in the meantime: its newest version is \(newest); compare "
                + "it with yours, and save again")
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
        "service": TemplateSummaryView.ownerNote,
        "version": "the newest version, whether or not this request created it",
        "changed": "false if the newest version already had the same content",
        "warnings": "probable mistakes, and what each delivery must provide",
    ]

    package var name: String
    package var service: String?
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
    package static let operations = [
        operation,
        Operation(
            .delete, ShowTemplate.sharedPath, .admin,
            "Deletes a template that belongs to no service. Deliveries that used it keep their content.",
            verb: "deleteShared", reach: .instance),
    ]
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
    ]
    package var followUpCommand: String { "template list" }
    package var auditText: AuditText? { .of(service.map { "\($0)/\(name)" } ?? name) }

    package var name = ""
    /// `nil` if the template belongs to no service.
    package var service: String?

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<DeletedTemplate> {
        let owner = try operations.owner(named: service)
        _ = try operations.template(TemplateReference(name: name), of: owner) { .absent($0) }
        return Step(effects: { [messageCache = operations.messageCache] _ in messageCache.forgetTemplates() })
        { store in
            let versions = try store.templateWriter.delete(name, of: service)
            return DeletedTemplate(name: name, service: service, versions: versions)
        }
    }
}

package struct DeletedTemplate: View, Equatable {
    package static let about = [
        "service": TemplateSummaryView.ownerNote,
        "versions": "the number of versions that the template had",
    ]

    package var name: String
    package var service: String?
    package var versions: Int
}
