internal import PushModel
internal import PushStore

/// The applications, by name.
package struct ListApps: ShortOperation, UseCase {
    package static let name = "app.list"
    package static let operation = Operation(.get, "/apps", .read, "All apps, or those of a service.")
    package static let members: [Member<Self>] = [.query(\.service, "service", "Only apps of this service.")]

    package private(set) var service: String?

    package init() {}
    package init(service: String?) { self.service = service }

    package func perform(in operations: Operations) throws -> [AppView] {
        let wanted = try service.map { try operations.requireService(named: $0).id }
        let catalogue = operations.store.catalogue
        let services = Dictionary(try catalogue.services().map { ($0.id, $0.name) }) { first, _ in first }
        return try catalogue.apps().filter { wanted == nil || $0.service == wanted }
            .map { AppView($0, service: services[$0.service] ?? "") }
    }
}
