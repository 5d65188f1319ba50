package import PushConfig
internal import PushModel

/// Returns every setting with its effective value and its origin. Secrets are masked.
package struct ShowConfiguration: ShortOperation, UseCase {
    package static let name = "config.show"
    package static let operation = Operation(
        .get, "/configuration", .admin,
        "Returns every setting with its effective value and the value's origin. Secrets are masked.",
        reach: .instance)
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [ConfigurationRow] {
        operations.configuration.origins
    }
}

extension ConfigurationRow: View { package static let schemaName = "Setting" }

extension ConfigurationRow {
    /// The row's values, for targets that do not depend on `PushConfig`.
    package var values: (path: String, value: String, line: Int?) { (path, value, line) }
}
