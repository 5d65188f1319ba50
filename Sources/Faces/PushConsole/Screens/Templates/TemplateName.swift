internal import PushAPI

/// A template that a page concerns: its name and its service. A template without a service can be used by the
/// deliveries of all services.
struct TemplateName: Equatable {
    let name: String
    /// `nil` if the template belongs to no service.
    let service: String?

    init(name: String, service: String?) { (self.name, self.service) = (name, service) }

    /// Reads the names in the path of a route.
    init(of visit: Visit) {
        name = visit.name("name")
        let service = visit.name("service")
        self.service = service.isEmpty ? nil : service
    }

    var path: ConsolePath {
        service.map { "/templates/of/\($0)/\(name)" } ?? "/templates/shared/\(name)"
    }
    var editPath: ConsolePath {
        service.map { "/templates/of/\($0)/\(name)/edit" } ?? "/templates/shared/\(name)/edit"
    }
    var deletePath: ConsolePath {
        service.map { "/templates/of/\($0)/\(name)/delete" } ?? "/templates/shared/\(name)/delete"
    }

    /// The path of the page with one version.
    func path(version: Int64) -> ConsolePath { path.with("version", "\(version)") }

    func show(_ visit: Visit, version: Int64? = nil) throws -> TemplateView {
        try visit.carryOut(ShowTemplate(name: name, service: service, version: version))
    }
}
