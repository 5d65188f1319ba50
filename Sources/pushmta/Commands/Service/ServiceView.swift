internal import PushModel
internal import PushWire

/// A service as it is shown.
enum ServiceView {
    static func json(_ service: Service, apps: [String]) -> JSONValue {
        ["name": .string(service.name), "label": .string(service.label), "apps": .array(apps.map { .string($0) })]
    }
}
