/// A configuration file that was read and found valid.
package struct LoadedConfiguration: Equatable, Sendable {
    /// The path as the caller requested it.
    package let path: String
    /// The declarations of all settings.
    package let schema: ConfigurationSchema
    package private(set) var settings: ServerConfiguration
    /// The value that was substituted for `$(PRODUCT_VERSION)`.
    package let productVersion: String
    /// The findings in file order. None is an error.
    package let findings: [Finding]
    /// Additional notes that only `config check` reports. Most files, including the shipped file, cause such
    /// a note.
    package let notes: [Finding]
    /// Every existing key, in documentation order.
    package let origins: [ConfigurationRow]

    /// Returns this configuration for a service that was started with a different file: settings that need a
    /// restart keep the values of the running service.
    package func applied(to running: ServerConfiguration) -> LoadedConfiguration {
        var applied = self
        applied.settings = settings.keeping(whatNeedsARestartOf: running, by: schema)
        return applied
    }
}

/// A key with its effective value: one line of `config show`.
package struct ConfigurationRow: Codable, Equatable, Sendable {
    /// The path of the key, such as `mta/child/@maxWaitingMessages`.
    package var path: String
    /// The effective value, with substitutions made, paths absolute and secrets masked.
    package var value: String
    /// The line in which the setting is written. `nil` if the setting is not written or its text is empty; in
    /// this case, the value is the default.
    package var line: Int?

    package init(path: String, value: String, line: Int? = nil) {
        (self.path, self.value, self.line) = (path, value, line)
    }
}
