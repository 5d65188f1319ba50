/// A setting that means something else in one file than in another.
package struct ConfigurationChange: Codable, Equatable, Sendable {
    /// `mta/child/@maxWaitingMessages`.
    package var path: String
    /// As they would be written; secrets are masked.
    package var old: String
    package var new: String
    /// A service that runs goes on with the old one until it is started again.
    package var needsRestart = false

    /// What others see.
    private enum CodingKeys: CodingKey { case path, old, new }
}

extension LoadedConfiguration {
    /// What this says otherwise than earlier settings, in the file's order.
    package func changes(since old: ServerConfiguration) -> [ConfigurationChange] {
        schema.keys.filter { $0.differs(old, settings) }.map { key in
            ConfigurationChange(
                path: key.path, old: key.text(old), new: key.text(settings),
                needsRestart: key.isReadAtStartOnly)
        }
    }
}

extension ServerConfiguration {
    /// This, but for what a running service keeps of the file that it was started with.
    func keeping(
        whatNeedsARestartOf old: ServerConfiguration, by schema: ConfigurationSchema
    ) -> ServerConfiguration {
        var kept = self
        for key in schema.keys where key.isReadAtStartOnly { key.copy(old, &kept) }
        return kept
    }
}
