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

/// All connectors. To add a connector, add one row to ``entries``; no other row changes.
package enum ConnectorCatalogue {
    package static let entries: [ConnectorEntry] = [
        .apns, .apnsBinary, .fcm, .fcmV2, .custom(like: [.apns, .fcm], reading: contents), .stub,
    ]

    /// The settings that serverConf.xml may contain, in the order in which the documentation lists them.
    package static let settings = ConfigurationSchema(gateways: [.apns, .apnsBinary, .fcm, .custom])

    /// Contents with sections for all gateways, in the order in which the sections are described and written.
    package static let contents = ContentDocument(sections: [.ios, .android])

    /// The rows for code that must not depend on gateways.
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
            },
            explanation: { entry.answer(to: $0)?.explanation(of: $0) })
    }

    package static var names: [ConnectorName] { entries.map(\.name) }

    package static func entry(_ name: ConnectorName) -> ConnectorEntry? { entries.first { $0.name == name } }

    /// Returns the connector that a text names. The text is the connector's name, or a URL or path that ends
    /// with the page that represents the connector in Campaign.
    package static func resolve(_ text: String) -> ConnectorName? {
        let last = text.split(separator: "/").last.map(String.init) ?? text
        return entries.first { $0.name.rawValue == text || $0.campaignPage == last }?.name
    }

    /// The answer tables of all gateways, without duplicates.
    package static let answerTables = entries.flatMap(\.answers).reduce(into: [AnswerTable]()) {
        tables, table in
        if !tables.contains(where: { $0.gateway == table.gateway }) { tables.append(table) }
    }

    /// Finds the reason code at the beginning of `reason` among the answers of the account's gateway. Returns
    /// `nil` if the gateway has no answer with this code.
    /// - Parameter account: The account's name, which begins with the name of its connector.
    package static func answer(to reason: String, ofAccount account: String) -> GatewayAnswer? {
        entry(ConnectorName(rawValue: String(account.prefix { $0 != " " })))?.answer(to: reason)
    }

    /// Finds the reason code at the beginning of `reason` among the answers of all gateways. Returns `nil`
    /// unless exactly one gateway has an answer with this code.
    package static func answer(to reason: String) -> GatewayAnswer? {
        let answers = answerTables.compactMap { $0.answer(to: reason) }
        return answers.count == 1 ? answers[0] : nil
    }

    package static func credentialKinds(for name: ConnectorName) -> [CredentialKind] {
        entry(name)?.credentials ?? []
    }

    /// Returns the host and port to which an account's messages are sent, for display to operators; `nil` if
    /// the account has no gateway.
    package static func gateway(of order: AccountOrder) -> ConnectorEntry.Place? {
        entry(order.connector)?.gateway(order)
    }

    /// Returns the maximum payload size that the connector's gateway accepts, in bytes. Submissions take the
    /// limit only from this function.
    package static func payloadLimitBytes(
        _ connector: ConnectorName, _ content: Content, _ gateways: NMACConfiguration
    ) -> Int {
        (entry(connector) ?? .stub).payloadLimitBytes(content, gateways)
    }

    /// Returns the connector whose payloads are used for an app's messages: the app's own connector; the
    /// vendor's connector, if the app's connector uses the vendor's payloads; or the first connector for the
    /// app's platform, if the app's connector has no gateway.
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

    /// Returns the time when a credential expires; `nil` if it does not expire.
    package static func end(of credential: OpaqueCredential) -> WallTime? {
        entries.lazy.compactMap { $0.end(credential) }.first
    }

    /// Returns the payload template of a content for an app. The gateway of the app's connector limits the
    /// size of the payloads.
    package static func template(
        of content: Content, for app: AppSettings, delivery: DeliveryID, tracking: Bool,
        _ gateways: NMACConfiguration
    ) throws(PayloadError) -> PayloadTemplate {
        let app = messageSettings(of: app)
        let terms = PayloadInputs(
            app: app, delivery: delivery, tracking: tracking,
            limitBytes: payloadLimitBytes(app.connector, content, gateways))
        guard let make = speaking(for: app)?.template else { throw .nothingToShow }
        return try make(content, terms)
    }

    /// Returns the settings on which the payloads of an app's messages depend. Apps for which they are equal
    /// get the same payloads, except for ids, and the same rules for contents.
    package static func messageSettings(of app: AppSettings) -> AppSettings {
        var settings = app
        (settings.name, settings.label) = ("", "")
        (settings.integrationKey, settings.formerIntegrationKey) = ("", nil)
        // A header field contains the bundle id. Payloads and rules do not depend on it.
        settings.bundleID = ""
        // A credential that the app keeps for another connector is irrelevant to this connector's payloads.
        if withoutCredential.contains(app.connector) { settings.credentialIdentity = "" }
        return settings
    }

    private static let withoutCredential = Set(
        entries.filter { $0.credentials == [.none] && $0.name != .stub }.map(\.name))

    /// Returns the longest of the maximum response times of the gateways that answer each message.
    package static func slowestAnswerSeconds(_ configuration: ServerConfiguration) -> Int {
        let terms = entries.map { $0.terms(configuration) }.filter { !$0.acceptancesArriveLate }
        return terms.map(\.answerSeconds).max() ?? 0
    }

    /// Creates a connector for an account, on the thread that owns the loop.
    package static func make(
        for order: AccountOrder, loop: TransportLoop, events: any ConnectorEvents
    ) throws -> any Connector {
        guard let entry = entry(order.connector) else {
            throw ConnectorError(
                "connector \(order.connector) does not exist in this version; use the version that has it")
        }
        return try entry.make(order, loop, events)
    }
}
