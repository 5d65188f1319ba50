package import PushConfig
package import PushWire

/// A setting that applies to an account, as shown by `pushmta explain`.
package struct ExplainedSetting: Sendable {
    package typealias Property = any PartialKeyPath<ServerConfiguration> & Sendable

    /// The origin of the value.
    package enum Origin: Sendable {
        case setting(Property)
        /// This setting is absent, so the value that is described by `else` applies.
        case unset(Property, else: String)
        case text(String)
    }

    package let name: String
    package let value: String
    package let origin: Origin

    package init(_ name: String, _ value: String, _ origin: Origin) {
        (self.name, self.value, self.origin) = (name, value, origin)
    }

    package init(_ name: String, _ value: String, _ property: Property) {
        self.init(name, value, .setting(property))
    }
}

/// An account whose settings are to be explained.
package struct ExplainedAccount: Sendable {
    package let order: AccountOrder
    /// The identity of the account's credential.
    package let identity: String
    package let configuration: ServerConfiguration

    package init(_ order: AccountOrder, identity: String, _ configuration: ServerConfiguration) {
        (self.order, self.identity, self.configuration) = (order, identity, configuration)
    }
}

/// The settings that contain the address of a gateway.
package struct GatewayKeys: Sendable {
    package let host: ExplainedSetting.Property
    package let port: ExplainedSetting.Property
    /// The setting that names a PEM file of the certificate authorities to trust.
    package let trust: any KeyPath<ServerConfiguration, String?> & Sendable

    package init(
        host: ExplainedSetting.Property, port: ExplainedSetting.Property,
        trust: any KeyPath<ServerConfiguration, String?> & Sendable
    ) {
        (self.host, self.port, self.trust) = (host, port, trust)
    }
}
