/// A file that was read and found good.
package struct LoadedConfiguration: Equatable, Sendable {
    /// As it was asked for.
    package let path: String
    /// Which settings there are.
    package let schema: ConfigurationSchema
    package private(set) var settings: ServerConfiguration
    /// What `$(PRODUCT_VERSION)` stood for.
    package let productVersion: String
    /// In the file's order; none is an error.
    package let findings: [Finding]
    /// What `config check` says beside them and nobody else: of most files there is one, also of the shipped
    /// one.
    package let notes: [Finding]
    /// Every key that exists, in the order of the documentation.
    package let origins: [ConfigurationRow]

    /// This file for a service that was started with another: what needs a restart is what it was.
    package func applied(to running: ServerConfiguration) -> LoadedConfiguration {
        var applied = self
        applied.settings = settings.keeping(whatNeedsARestartOf: running, by: schema)
        return applied
    }
}

/// One key with its effective value: a line of `config show`.
package struct ConfigurationRow: Codable, Equatable, Sendable {
    /// `mta/child/@maxWaitingMessages`.
    package var path: String
    /// As it holds: substituted, paths absolute, secrets masked.
    package var value: String
    /// Where it is written; nil: it is not, or empty, and the value is the default.
    package var line: Int?

    package init(path: String, value: String, line: Int? = nil) {
        (self.path, self.value, self.line) = (path, value, line)
    }
}
