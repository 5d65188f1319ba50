package import PushModel
internal import PushStore
package import PushWire

/// All templates, or those of a service, by service and name.
package struct ListTemplates: ShortOperation {
    package static let name = "template.list"

    /// nil: of all.
    package var service: String?

    package init(service: String? = nil) { self.service = service }

    package func perform(in operations: Operations) throws -> [TemplateSummaryView] {
        let owner = try service.map { try operations.requireService(named: $0).id }
        return try operations.store.templates.list(of: owner).map { TemplateSummaryView($0) }
    }
}

/// What one version of a template says.
package struct ShowTemplate: ShortOperation {
    package static let name = "template.show"

    package var name: String
    package var service: String
    /// nil: the newest.
    package var version: Int64?

    package init(name: String, service: String, version: Int64? = nil) {
        self.name = name
        self.service = service
        self.version = version
    }

    package func perform(in operations: Operations) throws -> TemplateView {
        let owner = try operations.requireService(named: service)
        let reference = TemplateReference(name: name, version: version)
        let found = try operations.template(reference, of: owner) { .absent($0) }
        return TemplateView(found.stored, service: service, document: found.value)
    }
}

/// A template as a list shows it.
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
