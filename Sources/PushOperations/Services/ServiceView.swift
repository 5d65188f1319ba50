internal import PushModel
internal import PushStore

/// A service as it is shown.
package struct ServiceView: Members, Equatable {
    package static let members: [Member<Self>] =
        [.field(\.name, "name", "The service's name.")] + Member.all(of: \.fields)
        + [.field(\.apps, "apps", "The names of its apps.")]

    package private(set) var name = ""
    package private(set) var fields = ServiceFields()
    package private(set) var apps: [String] = []

    package init() {}

    init(_ service: Service, apps: [App]) {
        name = service.name
        fields = ServiceFields(service)
        self.apps = apps.filter { $0.service == service.id }.map(\.name)
    }

    package var label: String { fields.label ?? name }
    package var frequencyCap: String? { fields.frequencyCap?.description }
}
