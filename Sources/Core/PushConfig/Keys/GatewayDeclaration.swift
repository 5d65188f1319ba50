/// What a gateway adds to serverConf.xml: its settings, and what they amount to.
package struct GatewayDeclaration: Sendable {
    /// In the order of the documentation. They set properties of the gateway's ``GatewaySection``s.
    package let keys: [ConfigurationKey]
    /// What `config check` reports about settings that are each allowed and may surprise together. nil: nothing.
    let note: @Sendable (SettingsAssembly) -> Finding?

    package init(
        keys: [ConfigurationKey], note: @escaping @Sendable (SettingsAssembly) -> Finding? = { _ in nil }
    ) {
        (self.keys, self.note) = (keys, note)
    }
}
