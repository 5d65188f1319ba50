package import PushModel
package import PushStore

/// The settings that an operator chooses for a service, except the service's name. The use cases that create,
/// change and show services share these settings.
package struct ServiceFields: Members, Equatable {
    /// The display name; `nil` means the service's name.
    package var label: String?
    package var frequencyCap: FrequencyCap?
    package var description: String?

    package init() {}

    init(_ service: Service) {
        (label, frequencyCap, description) = (service.label, service.frequencyCap, service.description)
    }

    func apply(to service: inout Service) {
        service.label = label ?? service.name
        service.frequencyCap = frequencyCap
        service.description = description == "" ? nil : description
    }

    package static let members: [Member<Self>] = [
        .field(\.label, "label", "The service's display name.", absent: "its name"),
        .field(
            \.frequencyCap, "frequencyCap",
            "The maximum number of messages to each device, such as `3 in 7d`.", absent: "any number"),
        .field(\.description, "description", "The purpose of the service.", absent: "no description"),
    ]

    func check() throws(OperationError) {
        if let label { try NameRule.check(label: label, "the label") }
        if let description { try NameRule.check(label: description, "the description") }
    }
}

/// A service as it is shown.
package struct ServiceView: Members, Equatable {
    package static let members: [Member<Self>] =
        [.field(\.name, "name", "The service's name.")] + Member.all(of: \.fields)
        + [.field(\.apps, "apps", "The names of the service's apps.")]

    package private(set) var name = ""
    package private(set) var fields = ServiceFields()
    package private(set) var apps: [String] = []

    package init() {}

    init(_ service: Service, apps: [Catalogue.AppName]) {
        name = service.name
        fields = ServiceFields(service)
        self.apps = apps.filter { $0.service == service.id }.map(\.name)
    }

    package var label: String { fields.label ?? name }
    package var frequencyCap: String? { fields.frequencyCap?.description }
}

/// Lists all services, ordered by name.
package struct ListServices: ShortOperation, UseCase {
    package static let name = "service.list"
    package static let operation = Operation(
        .get, "/services", .read, "Lists all services.", reach: .services)
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [ServiceView] {
        let catalogue = operations.store.catalogue
        let apps = try catalogue.appNames()
        return try catalogue.services().map { ServiceView($0, apps: apps) }
    }
}

/// Shows one service. Refuses a name that no service has.
package struct ShowService: ShortOperation, UseCase {
    package static let name = "service.show"
    package static let operation = Operation(.get, "/services/{name}", .read, "Returns a service.")
    package static let members: [Member<Self>] = [.path(\.name, "name", "The service's name.")]

    package var name = ""

    package init() {}

    package func perform(in operations: Operations) throws -> ServiceView {
        let service = try operations.requireService(named: name)
        return ServiceView(service, apps: try operations.store.catalogue.appNames())
    }
}

/// Creates an information service of the type mobile app. Refuses a name that another service has.
package struct CreateService: Change, UseCase {
    package static let name = "service.create"
    package static let operation = Operation(
        .post, "/services", .admin, "Creates a service.", status: 201, reach: .instance)
    package static let example = #"{"name": "neotrips", "label": "Neotrips", "frequencyCap": "3 in 7d"}"#
    package static let members: [Member<Self>] =
        [.field(\.name, "name", "The service's name, which must be unique in the instance.")]
        + Member.all(of: \.fields)
    package var followUpCommand: String { "service list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var fields = ServiceFields()

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<ServiceView> {
        try NameRule.check(addressed: name, "the service's name")
        try fields.check()
        let key = try operations.key()
        return Step { store in
            let writer = store.catalogueWriter(key: key)
            return ServiceView(try writer.createService(name: name, label: name, fields.apply), apps: [])
        }
    }
}

/// Changes the label, the frequency cap and the description of a service. Its name cannot change, because
/// documents contain it. Deliveries that are prepared from now on observe the new cap.
package struct UpdateService: Change, UseCase {
    package static let name = "service.update"
    package static let operation = Operation(
        .patch, "/services/{name}", .admin, "Changes a service.")
    package static let example = #"{"label": "Neotrips", "frequencyCap": null}"#
    package static let members: [Member<Self>] =
        [.path(\.name, "name", "The service's name.")] + Member.all(of: \.changes)
    package var followUpCommand: String { "service list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var changes = Changes<ServiceFields>()

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<ServiceView> {
        let service = try operations.requireService(named: name)
        var fields = ServiceFields(service)
        try changes.apply(to: &fields)
        try fields.check()
        let (key, apps) = (try operations.key(), try operations.store.catalogue.appNames())
        return Step { store in
            let updated = try store.catalogueWriter(key: key).updateService(named: service.name) { service in
                // The present state is used, because another change may have been made in the meantime.
                var fields = ServiceFields(service)
                changes.merge(into: &fields)
                fields.apply(to: &service)
            }
            return ServiceView(updated, apps: apps)
        }
    }
}

/// Deletes a service, which must have no apps, and its templates. Logs of messages to its former apps are
/// kept.
package struct DeleteService: ChangingOperation, UseCase {
    package static let name = "service.delete"
    package static let operation = Operation(
        .delete, "/services/{name}", .admin,
        "Deletes a service that has no apps, together with its templates.")
    package static let members: [Member<Self>] = [.path(\.name, "name", "The service's name.")]
    package var followUpCommand: String { "service list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""

    package init() {}

    package func perform(in operations: Operations) throws -> DeletedService {
        let service = try operations.requireService(named: name)
        try operations.store.catalogueWriter(key: try operations.key()).deleteService(named: service.name)
        return DeletedService(name: service.name)
    }
}

package struct DeletedService: Members, Equatable {
    package static let members: [Member<Self>] = [.field(\.name, "name", "The service's name.")]
    package var name = ""

    package init() {}
    init(name: String) { self.name = name }
}
