internal import PushStore

/// One service. Refuses a name that no service has.
package struct ShowService: ShortOperation {
    package static let name = "service.show"

    package var name: String

    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> ServiceView {
        ServiceView(try operations.requireService(named: name), apps: try operations.store.catalogue.apps())
    }
}
