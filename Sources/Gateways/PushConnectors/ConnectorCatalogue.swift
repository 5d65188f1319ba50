package import PushModel
package import PushTransport
package import PushWire

/// The connectors that exist, by name: adding one adds a row here and touches no other.
package enum ConnectorCatalogue {
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

    /// What is known of a connector before any account uses it.
    package struct Entry: Sendable {
        package let name: ConnectorName
        /// Campaign's name for the page or script that the external account names.
        package let campaignPage: String?
        package let platforms: [Platform]
        package let credentials: [CredentialKind]
        let make: @Sendable (AccountOrder, TransportLoop, any ConnectorEvents) throws -> any Connector
    }

    package static let entries: [Entry] = [
        Entry(
            name: .iosHTTP2, campaignPage: "iosHTTP2.jsp", platforms: [.ios],
            credentials: [.apnsToken, .apnsCertificate],
            make: { order, loop, events in try APNsConnector(order, loop: loop, events: events) }),
        Entry(
            name: .ios, campaignPage: "ios.jsp", platforms: [.ios], credentials: [.apnsCertificate],
            make: { order, loop, events in try APNsBinaryConnector(order, loop: loop, events: events) }),
        Entry(
            name: .androidPushConnector, campaignPage: "androidPushConnector.js", platforms: [.android],
            credentials: [.fcmServiceAccount, .fcmProjectKey],
            make: { order, loop, events in try makeFCM(order, requestLimit: 1, loop, events) }),
        Entry(
            name: .androidPushConnectorV2, campaignPage: "androidPushConnectorV2.js", platforms: [.android],
            credentials: [.fcmServiceAccount, .fcmProjectKey],
            make: { order, loop, events in
                try makeFCM(order, requestLimit: Int(order.gateway.parallelRequests), loop, events)
            }),
        Entry(
            name: .stub, campaignPage: nil, platforms: Platform.allCases, credentials: [.none],
            make: { order, _, events in StubConnector(order, events: events) }),
    ]

    /// The credential says which of FCM's interfaces is meant.
    private static func makeFCM(
        _ order: AccountOrder, requestLimit: Int, _ loop: TransportLoop, _ events: any ConnectorEvents
    ) throws -> any Connector {
        switch try FCMCredential(order.credential) {
        case .serviceAccount(let account):
            try FCMConnector(
                order, credential: account, requestLimit: requestLimit, loop: loop, events: events)
        case .projectKey(let key):
            FCMLegacyConnector(order, key: key, requestLimit: requestLimit, loop: loop, events: events)
        }
    }

    package static var names: [ConnectorName] { entries.map(\.name) }

    package static func entry(_ name: ConnectorName) -> Entry? { entries.first { $0.name == name } }

    /// The connector that a text names: its own name, or a URL or path that ends in Campaign's page.
    package static func resolve(_ text: String) -> ConnectorName? {
        let last = text.split(separator: "/").last.map(String.init) ?? text
        return entries.first { $0.name.rawValue == text || $0.campaignPage == last }?.name
    }

    package static func credentialKinds(for name: ConnectorName) -> [CredentialKind] {
        entry(name)?.credentials ?? []
    }

    /// A connector for an account, on the thread that owns the loop.
    package static func make(
        for order: AccountOrder, loop: TransportLoop, events: any ConnectorEvents
    ) throws -> any Connector {
        guard let entry = entry(order.connector) else {
            throw ConnectorError("connector \(order.connector) does not exist in this version")
        }
        return try entry.make(order, loop, events)
    }
}
