package import GatewayKit
internal import PushConfig
internal import PushModel
internal import PushPayload
package import PushWire

extension ConnectorEntry {
    /// The connector to a receiver that the operator provides: `nmac/custom`.
    ///
    /// - Parameters:
    ///   - vendors: The vendors' connectors. For an app on the platform of one of them, its payloads and
    ///     header fields are used. Any other app gets the plain payload.
    ///   - contents: The declaration that is used to read contents for all platforms.
    package static func custom(
        like vendors: [ConnectorEntry], reading contents: ContentDocument
    ) -> ConnectorEntry {
        var entry = ConnectorEntry(
            name: ConnectorName(rawValue: "custom"), platforms: Platform.allCases, credentials: [.none]
        ) { order, loop, events in
            try CustomConnector(order, like: vendors, reading: contents, loop: loop, events: events)
        }
        entry.vendors = vendors
        entry.testSubject = "the secret, and supports the protocol"
        entry.terms = { terms($0) }
        entry.gateway = { order in
            guard let settings = try? CustomSettings(json: order.gateway.settings),
                let address = try? HTTPAddress(settings.url)
            else { return nil }
            return (address.host, address.port)
        }
        entry.keys = GatewayKeys(
            host: \.nmac.custom.url, port: \.nmac.custom.url, trust: \.nmac.custom.trustedCertsChain)
        entry.explainPace = { pace($0.configuration.nmac.custom) }
        entry.warning = { app, nmac in
            if nmac.custom.url.isEmpty {
                return
                    """
                    connector custom has no receiver, so nothing is sent: set it in nmac/custom/@url of \
                    serverConf.xml
                    """
            }
            return app.bundleID.isEmpty
                ? """
                the receiver identifies apps by their bundle id, and this app has none: set it with \
                --bundle-id
                """
                : nil
        }
        entry.template = { content, terms throws(PayloadError) in try plain(content, terms) }
        entry.payloadLimitBytes = { _, _ in PayloadTemplate.plainLimitBytes }
        entry.answers = [CustomReasons.table]
        return entry
    }

    static func plain(
        _ content: Content, _ terms: PayloadInputs
    ) throws(PayloadError) -> PayloadTemplate {
        try PayloadTemplate.plain(
            content: content, variables: terms.app.variables, delivery: terms.delivery,
            tracking: terms.tracking, idFormat: terms.app.messageIDFormat, limitBytes: terms.limitBytes)
    }

    private static func terms(_ configuration: ServerConfiguration) -> ConnectorOptions {
        let custom = configuration.nmac.custom
        var settings = CustomSettings()
        settings.url = custom.url
        settings.batchMessages = custom.batchMessages
        settings.parallelRequests = custom.parallelRequests
        settings.requestTimeoutSeconds = custom.requestTimeoutSec
        var terms = ConnectorOptions()
        if let address = custom.address { (terms.address, terms.port) = (address.host, address.port) }
        terms.trustedCertsChain = custom.trustedCertsChain
        terms.secretFile = custom.secretFile
        terms.settings = settings.json
        if custom.messagesPerMinute > 0 {
            terms.quota = ConnectorOptions.Quota(
                messagesPerMinute: custom.messagesPerMinute, rampUpSeconds: 0)
        }
        if !custom.url.isEmpty { terms.answerSeconds = custom.requestTimeoutSec }
        return terms
    }

    private static func pace(_ custom: CustomConfiguration) -> [ExplainedSetting] {
        let quota = custom.messagesPerMinute
        return [
            ExplainedSetting(
                "requests", "\(custom.parallelRequests) at a time in each child",
                \.nmac.custom.parallelRequests),
            ExplainedSetting(
                "batch", "at most \(Numerals.count(custom.batchMessages, "message"))",
                \.nmac.custom.batchMessages),
            ExplainedSetting(
                "time-out", "\(custom.requestTimeoutSec) s", \.nmac.custom.requestTimeoutSec),
            ExplainedSetting(
                "quota", quota > 0 ? "\(Numerals.grouped(quota)) a minute" : "none",
                \.nmac.custom.messagesPerMinute),
        ]
    }
}
