package import PushConfig
package import PushModel
internal import PushTransport
package import PushWire

/// What is known of a connector before any account uses it: its row of ``ConnectorCatalogue``.
package struct ConnectorEntry: Sendable {
    package typealias Place = (host: String, port: Int)

    package let name: ConnectorName
    /// Campaign's name for the page or script that the external account names.
    package var campaignPage: String?
    package let platforms: [Platform]
    package let credentials: [CredentialKind]
    /// What serverConf.xml means for its accounts.
    package var terms: @Sendable (ServerConfiguration) -> ConnectorTerms = { _ in ConnectorTerms() }
    /// The host and port that the connector connects to, override or not. nil: it has no gateway.
    package var gateway: @Sendable (AccountOrder) -> Place? = { _ in nil }
    /// Where its feedback service is. nil: its gateway tells at once.
    package var feedback: @Sendable (AccountOrder) -> Place? = { _ in nil }
    /// The settings for the only message of a connection test, if they are others than usual.
    var testing: @Sendable (GatewayOrder) throws -> GatewayOrder = { $0 }
    let make: @Sendable (AccountOrder, TransportLoop, any ConnectorEvents) throws -> any Connector
}

/// A credential that an app of a connector may have.
package enum CredentialKind: String, Sendable, CaseIterable {
    case apnsToken, apnsCertificate, fcmServiceAccount, fcmProjectKey, none

    /// The kind of a stored credential, which its identity shows (``APNsCredential``, ``FCMCredential``);
    /// nil: of a connector that this version does not have.
    package init?(identity: String) {
        switch identity.split(separator: ":", maxSplits: 1).first {
        case "token": self = .apnsToken
        case "certificate": self = .apnsCertificate
        case "project": self = .fcmServiceAccount
        case "projectkey": self = .fcmProjectKey
        case nil: self = .none
        default: return nil
        }
    }
}
