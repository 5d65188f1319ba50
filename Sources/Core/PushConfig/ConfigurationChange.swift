/// A setting whose value differs between two files.
package struct ConfigurationChange: Codable, Equatable, Sendable {
    /// The path of the setting, such as `mta/child/@maxWaitingMessages`.
    package var path: String
    /// The values as they would be written in the file. Secrets are masked.
    package var old: String
    package var new: String
    /// Whether a running service keeps the old value until it is restarted.
    package var needsRestart = false

    /// The members that are encoded. The others are internal.
    private enum CodingKeys: CodingKey { case path, old, new }
}

extension LoadedConfiguration {
    /// Returns the settings that differ from earlier settings, in file order.
    package func changes(since old: ServerConfiguration) -> [ConfigurationChange] {
        schema.keys.filter { $0.differs(old, settings) }.map { key in
            ConfigurationChange(
                path: key.path, old: key.text(old), new: key.text(settings),
                needsRestart: key.isReadAtStartOnly)
        }
    }
}

extension ServerConfiguration {
    /// Returns these settings, except that each setting that needs a restart has its value from `old`, the
    /// settings with which the running service was started.
    func keeping(
        whatNeedsARestartOf old: ServerConfiguration, by schema: ConfigurationSchema
    ) -> ServerConfiguration {
        var kept = self
        for key in schema.keys where key.isReadAtStartOnly { key.copy(old, &kept) }
        return kept
    }
}
