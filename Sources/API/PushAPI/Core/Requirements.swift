internal import PushModel
internal import PushStore

/// Looks up the objects that a request names. If an object does not exist, the error refers to the existing
/// ones.
extension Operations {
    func requireService(named name: String) throws -> Service {
        if let service = try store.catalogue.service(named: name) { return service }
        throw Self.absence(
            "service", name, existing: try store.catalogue.services().map(\.name), CreateService.self)
    }

    func requireApp(named name: String) throws -> App {
        if let app = try store.catalogue.app(named: name) { return app }
        throw Self.absence("app", name, existing: try store.catalogue.apps().map(\.name), CreateApp.self)
    }

    /// Returns the named app, or all apps if no name is given.
    func apps(named name: String?) throws -> [App] {
        try name.map { [try requireApp(named: $0)] } ?? store.catalogue.apps()
    }

    /// Returns the summary of the delivery that a request names.
    func requireDelivery(_ id: DeliveryID) throws -> DeliverySummary {
        if let summary = try store.deliveries.summary(of: id) { return summary }
        throw Self.absence(of: id)
    }

    static func absence(of id: DeliveryID) -> OperationError {
        .absent("there is no delivery \(id); \(see: ListDeliveries.self) shows all deliveries")
    }

    private static func absence<Create: Change & UseCase>(
        _ kind: String, _ name: String, existing: [String], _ create: Create.Type
    ) -> OperationError {
        let list = existing.prefix(20).joined(separator: ", ") + (existing.count > 20 ? ", …" : "")
        let hint = existing.isEmpty ? "create one: \(see: create)" : "existing \(kind)s: \(list)"
        return .absent("there is no \(kind) \(name); \(hint)")
    }

    /// Returns the names of all apps, for views that contain several apps.
    func appNames() throws(StoreError) -> [AppID: String] {
        Dictionary(try store.catalogue.apps().map { ($0.id, $0.name) }) { first, _ in first }
    }
}
