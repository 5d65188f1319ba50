internal import PushModel
internal import PushStore

/// All services, by name.
package struct ListServices: ShortOperation, UseCase {
    package static let name = "service.list"
    package static let operation = Operation(.get, "/services", .read, "All services.")
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [ServiceView] {
        let catalogue = operations.store.catalogue
        let apps = try catalogue.apps()
        return try catalogue.services().map { ServiceView($0, apps: apps) }
    }
}
