package import PushModel
internal import PushStore
package import PushWire

/// All templates, or those of a service, by service and name.
package struct ListTemplates: ShortOperation, UseCase {
    package static let name = "template.list"
    package static let operation = Operation(
        .get, "/services/{service}/templates", .read, "A service's templates, by name.")
    package static let members: [Member<Self>] = [.path(\.service, "service", "The service's name.")]

    /// nil: all services.
    package private(set) var service: String?

    package init() {}
    package init(service: String?) { self.service = service }

    package func perform(in operations: Operations) throws -> [TemplateSummaryView] {
        let owner = try service.map { try operations.requireService(named: $0).id }
        return try operations.store.templates.list(of: owner).map { TemplateSummaryView($0) }
    }
}

/// One version of a template.
package struct ShowTemplate: ShortOperation, UseCase {
    package static let name = "template.show"
    static let path = "/services/{service}/templates/{name}"
    package static let operation = Operation(.get, path, .read, "The newest version of a template.")
    package static let operations = [
        operation, Operation(.get, path + "/versions/{version}", .read, "One version of a template."),
    ]
    package static let versions =
        Int(TemplateReference.versions.lowerBound)...Int(TemplateReference.versions.upperBound)
    package static let members: [Member<Self>] = [
        .path(\.service, "service", "The service's name."), .path(\.name, "name", "The template's name."),
        .path(\.version, "version", "The number of the version.", in: versions),
    ]

    package private(set) var name = ""
    package private(set) var service = ""
    /// nil: the newest.
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
    package static let about = ["version": "the newest", "versions": "how many are kept"]

    package var name: String
    package var service: String
    package var version: Int64
    package var created: WallMoment
    package var versions: Int64

    init(_ summary: TemplateSummary) {
        (name, service, created) = (summary.name, summary.service, summary.created)
        version = summary.versions.upperBound
        versions = Int64(summary.versions.count)
    }
}

/// A version of a template.
package struct TemplateView: View, Equatable {
    package var name: String
    package var service: String
    package var version: Int64
    package var created: WallMoment
    /// Those that are kept are these two and all between.
    package var oldestVersion: Int64
    package var newestVersion: Int64
    /// What was saved.
    package var document: JSONValue

    init(_ stored: StoredTemplate, service: String, document: JSONValue) {
        (name, version, created) = (stored.name, stored.version, stored.created)
        (oldestVersion, newestVersion) = (stored.versions.lowerBound, stored.versions.upperBound)
        self.service = service
        self.document = document
    }
}
