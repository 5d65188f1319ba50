internal import PushModel
internal import PushStore

/// The applications, by name.
package struct ListApps: ShortOperation {
    package static let name = "app.list"

    /// nil: those of every service.
    package var service: String?

    package init(service: String? = nil) { self.service = service }

    package func perform(in operations: Operations) throws -> [AppView] {
        let wanted = try service.map { try operations.requireService(named: $0).id }
        let catalogue = operations.store.catalogue
        let services = Dictionary(try catalogue.services().map { ($0.id, $0.name) }) { first, _ in first }
        return try catalogue.apps().filter { wanted == nil || $0.service == wanted }
            .map { AppView($0, service: services[$0.service] ?? "") }
    }
}
