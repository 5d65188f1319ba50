internal import PushModel
internal import PushStore

/// One service. Refuses a name that no service has.
package struct ShowService: ShortOperation, UseCase {
    package static let name = "service.show"
    package static let operation = Operation(.get, "/services/{name}", .read, "One service.")
    package static let members: [Member<Self>] = [.path(\.name, "name", "The service's name.")]

    package var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> ServiceView {
        ServiceView(try operations.requireService(named: name), apps: try operations.store.catalogue.apps())
    }
}
