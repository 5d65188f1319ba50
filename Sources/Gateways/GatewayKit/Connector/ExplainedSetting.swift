package import PushConfig
package import PushWire

/// A setting that holds for an account, as `app explain` shows it.
package struct ExplainedSetting: Sendable {
    package typealias Property = any PartialKeyPath<ServerConfiguration> & Sendable

    /// The place that the value comes from.
    package enum Origin: Sendable {
        case setting(Property)
        /// The value is what holds without this setting.
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

/// An account whose settings are explained.
package struct ExplainedAccount: Sendable {
    package let order: AccountOrder
    /// Of its credential.
    package let identity: String
    package let configuration: ServerConfiguration

    package init(_ order: AccountOrder, identity: String, _ configuration: ServerConfiguration) {
        (self.order, self.identity, self.configuration) = (order, identity, configuration)
    }
}

/// The settings that say where a gateway is.
package struct GatewayKeys: Sendable {
    package let host: ExplainedSetting.Property
    package let port: ExplainedSetting.Property
    /// A PEM file of authorities.
    package let trust: any KeyPath<ServerConfiguration, String?> & Sendable

    package init(
        host: ExplainedSetting.Property, port: ExplainedSetting.Property,
        trust: any KeyPath<ServerConfiguration, String?> & Sendable
    ) {
        (self.host, self.port, self.trust) = (host, port, trust)
    }
}
