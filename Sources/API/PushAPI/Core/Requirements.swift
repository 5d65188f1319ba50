internal import PushConfig
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
        throw Self.absence("app", name, existing: try store.catalogue.appNames().map(\.name), CreateApp.self)
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

    /// Returns the error for a name that no object of a kind has.
    /// - Parameter create: The use case that creates an object of this kind.
    static func absence<Create: Change & UseCase>(
        _ kind: String, _ name: String, existing: [String], _ create: Create.Type
    ) -> OperationError { .absent(absenceText(kind, name, existing: existing, create)) }

    static func absenceText<Create: Change & UseCase>(
        _ kind: String, _ name: String, existing: [String], _ create: Create.Type
    ) -> String {
        let hint =
            existing.isEmpty
            ? "create one: \(see: create)" : "existing \(kind)s: \(ExistingNames.list(existing, like: name))"
        return "there is no \(kind) \(name); \(hint)"
    }

    /// Returns the named app without its settings, or all apps if no name is given.
    func appNames(named name: String?) throws -> [Catalogue.AppName] {
        try name.map { [Catalogue.AppName(try requireApp(named: $0))] } ?? store.catalogue.appNames()
    }

    /// Returns the names of all apps, for views that contain several apps.
    func appNames() throws(StoreError) -> [AppID: String] {
        Dictionary(try store.catalogue.appNames().map { ($0.id, $0.name) }) { first, _ in first }
    }
}

/// The names of existing objects in an error about a name that none of them has.
enum ExistingNames {
    /// The maximum number of names in an error.
    private static let maxListed = 20

    /// Returns the names as a list. If there are too many, the list begins with the name that the caller
    /// probably meant, and an ellipsis replaces the names at the end.
    /// - Parameter name: The name that does not exist.
    static func list(_ names: [String], like name: String) -> String {
        guard names.count > maxListed else { return names.joined(separator: ", ") }
        var listed = Array(names.prefix(maxListed))
        if let meant = Suggestion.nearest(to: name, among: names) {
            listed = [meant] + listed.filter { $0 != meant }.prefix(maxListed - 1)
        }
        return listed.joined(separator: ", ") + ", …"
    }
}
