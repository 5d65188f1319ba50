internal import PushModel
internal import PushWire

/// An app as it is shown: everything but its secrets.
enum AppView {
    static func members(_ app: App, service: String) -> [JSONMember] {
        let settings = app.settings
        let values: [(String, JSONValue)] = [
            ("name", .string(settings.name)),
            ("service", .string(service)),
            ("platform", .string(settings.platform.rawValue)),
            ("integrationKey", .string(settings.integrationKey)),
            ("connector", .string(settings.connector.rawValue)),
            ("environment", .string(settings.environment.rawValue)),
            ("bundleId", .string(settings.bundleID)),
            ("credential", .string(settings.credentialIdentity)),
            ("messageIdFormat", .string(settings.messageIDFormat.rawValue)),
            ("variables", .array(settings.variables.map {
                ["name": .string($0.name), "default": .string($0.defaultValue)]
            })),
            ("sounds", .array(settings.sounds.map {
                ["internalName": .string($0.internalName), "label": .string($0.label)]
            })),
        ]
        return values.map { JSONMember(key: $0.0, value: $0.1) }
    }

    static func fields(_ app: App, service: String) -> [(name: String, value: String)] {
        let settings = app.settings
        let variables = settings.variables.map { variable in
            variable.defaultValue.map { "\(variable.name)=\($0)" } ?? variable.name
        }
        return [
            ("name", settings.name),
            ("service", service),
            ("platform", settings.platform.rawValue),
            ("integration key", settings.integrationKey),
            ("connector", settings.connector.rawValue),
            ("environment", settings.environment.rawValue),
            ("bundle id", settings.bundleID),
            ("credential", settings.credentialIdentity),
            ("message ids", settings.messageIDFormat.rawValue),
            ("variables", variables.joined(separator: ", ")),
            ("sounds", settings.sounds.map { "\($0.internalName)=\($0.label)" }.joined(separator: ", ")),
        ]
    }
}
