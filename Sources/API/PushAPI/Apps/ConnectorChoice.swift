internal import GatewayKit
internal import PushConnectors
package import PushModel

/// A connector that an app of a platform can have, for forms that let people choose one.
package struct ConnectorChoice: Sendable, Equatable {
    package var connector: ConnectorName
    /// The types of credential that the connector can use (see ``CredentialFile``); empty if it uses none.
    package var credentialTypes: [String]

    /// Returns the connectors for a platform. The first one is the usual choice.
    package static func all(for platform: Platform) -> [ConnectorChoice] {
        let usual: ConnectorName? =
            switch platform {
            case .ios: .iosHTTP2
            case .android: .androidPushConnectorV2
            default: nil
            }
        let entries = ConnectorCatalogue.entries.filter { $0.platforms.contains(platform) }
        return (entries.filter { $0.name == usual } + entries.filter { $0.name != usual }).map {
            ConnectorChoice(connector: $0.name, credentialTypes: $0.credentials.flatMap(types))
        }
    }

    private static func types(of kind: CredentialKind) -> [String] {
        switch kind {
        case .apnsToken: ["token"]
        case .apnsCertificate: ["pkcs12", "pem"]
        case .fcmServiceAccount: ["serviceAccount"]
        case .fcmProjectKey: ["projectKey"]
        case .none: []
        }
    }
}
