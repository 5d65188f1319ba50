internal import PushModel
internal import PushStore

/// Deletes a service, which must have no apps, and its templates. Logs of what was sent to those that it had stay.
package struct DeleteService: ChangingOperation {
    package static let name = "service.delete"
    package var lookAfterwards: String { "service list" }

    package var name: String

    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> DeletedService {
        let service = try operations.requireService(named: name)
        try operations.store.catalogueWriter(key: try operations.key()).deleteService(named: service.name)
        return DeletedService(name: service.name)
    }
}

package struct DeletedService: Codable, Equatable, Sendable {
    package var name: String
}
