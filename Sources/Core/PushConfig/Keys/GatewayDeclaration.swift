/// A gateway's settings in serverConf.xml, and a note about their effect.
package struct GatewayDeclaration: Sendable {
    /// The gateway's keys, in documentation order. They set properties of its ``GatewaySection``s.
    package let keys: [ConfigurationKey]
    /// Returns the note that `config check` reports about settings that are individually valid but may be
    /// surprising together, or `nil` if there is none.
    let note: @Sendable (SettingsAssembly) -> Finding?

    package init(
        keys: [ConfigurationKey], note: @escaping @Sendable (SettingsAssembly) -> Finding? = { _ in nil }
    ) {
        (self.keys, self.note) = (keys, note)
    }
}
