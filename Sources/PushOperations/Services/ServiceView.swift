internal import PushModel
internal import PushStore

/// A service as it is shown.
package struct ServiceView: Codable, Equatable, Sendable {
    package var name: String
    package var label: String
    /// How many messages each of its devices may be sent, such as `3 in 7d`; nil: any number.
    package var frequencyCap: String?
    /// Names of its apps.
    package var apps: [String]

    init(_ service: Service, apps: [App]) {
        name = service.name
        label = service.label
        frequencyCap = service.frequencyCap?.description
        self.apps = apps.filter { $0.service == service.id }.map(\.name)
    }
}
