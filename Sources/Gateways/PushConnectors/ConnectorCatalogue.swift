internal import GatewayAPNs
internal import GatewayAPNsBinary
internal import GatewayCustom
internal import GatewayFCM
package import GatewayKit
package import PushConfig
package import PushModel
package import PushPayload
package import PushTransport
package import PushWire

/// The connectors that exist, by name: adding one adds a row here and touches no other.
package enum ConnectorCatalogue {
    package static let entries: [ConnectorEntry] = [
        .apns, .apnsBinary, .fcm, .fcmV2, .custom(like: [.apns, .fcm], reading: contents), .stub,
    ]

    /// The settings that serverConf.xml may have: in the order of the documentation.
    package static let settings = ConfigurationSchema(gateways: [.apns, .apnsBinary, .fcm, .custom])

    /// Contents with the sections that they may have: in the order in which they are described and written.
    package static let contents = ContentDocument(sections: [.ios, .android])

    /// The rows for who must not know gateways.
    package static let rows = entries.map { entry in
        ConnectorRow(
            entry.name, terms: entry.terms,
            topic: { content, bundleID in
                (try? contents.decode(content)).flatMap { entry.topic($0, bundleID) }
            },
            validatesOnly: { content, platform in
                guard let asks = speaking(through: entry.name, on: platform)?.content.validatesOnly,
                    let content = try? contents.decode(content)
                else { return false }
                return asks(content)
            })
    }

    package static var names: [ConnectorName] { entries.map(\.name) }

    package static func entry(_ name: ConnectorName) -> ConnectorEntry? { entries.first { $0.name == name } }

    /// The connector that a text names: its own name, or a URL or path that ends in Campaign's page.
    package static func resolve(_ text: String) -> ConnectorName? {
        let last = text.split(separator: "/").last.map(String.init) ?? text
        return entries.first { $0.name.rawValue == text || $0.campaignPage == last }?.name
    }

    package static func credentialKinds(for name: ConnectorName) -> [CredentialKind] {
        entry(name)?.credentials ?? []
    }

    /// Where an account's messages go to, for operators; nil where it has no gateway.
    package static func gateway(of order: AccountOrder) -> ConnectorEntry.Place? {
        entry(order.connector)?.gateway(order)
    }

    /// Bytes of a payload that the connector's gateway takes: the one place that says it for submission.
    package static func payloadLimitBytes(_ connector: ConnectorName, _ content: Content) -> Int {
        (entry(connector) ?? .stub).payloadLimitBytes(content)
    }

    /// The connector whose payloads an app's messages have: its own; the vendor's, if that has them; or, if it connects to
    /// nobody, the first that reaches the app's platform.
    package static func speaking(for app: AppSettings) -> ConnectorEntry? {
        speaking(through: app.connector, on: app.platform)
    }

    private static func speaking(
        through connector: ConnectorName, on platform: Platform
    ) -> ConnectorEntry? {
        guard let own = entry(connector) else { return nil }
        guard own.keys == nil else {
            return own.vendors.first { $0.platforms.contains(platform) } ?? own
        }
        return entries.first { $0.keys != nil && $0.platforms.contains(platform) }
    }

    /// When a credential ends by itself. nil: it does not.
    package static func end(of credential: OpaqueCredential) -> WallTime? {
        entries.lazy.compactMap { $0.end(credential) }.first
    }

    /// The payload of a content for an app, within what its connector's gateway takes.
    package static func template(
        of content: Content, for app: AppSettings, delivery: DeliveryID, tracking: Bool
    ) throws(PayloadError) -> PayloadTemplate {
        var app = app
        // A credential that the app keeps for another connector says nothing of this one's payloads.
        if credentialKinds(for: app.connector) == [.none], app.connector != .stub {
            app.credentialIdentity = ""
        }
        let terms = PayloadTerms(
            app: app, delivery: delivery, tracking: tracking,
            limitBytes: payloadLimitBytes(app.connector, content))
        guard let make = speaking(for: app)?.template else { throw .nothingToShow }
        return try make(content, terms)
    }

    /// The longest wait for an answer of any gateway that gives one to each message.
    package static func slowestAnswerSeconds(_ configuration: ServerConfiguration) -> Int {
        let terms = entries.map { $0.terms(configuration) }.filter { !$0.acceptancesArriveLate }
        return terms.map(\.answerSeconds).max() ?? 0
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
