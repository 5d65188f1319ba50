package import GatewayKit
internal import PushConfig
internal import PushModel
internal import PushPayload
internal import PushWire

extension ConnectorEntry {
    /// A receiver of the operator's own: `nmac/custom`.
    ///
    /// - Parameter vendors: Apps of their platforms get the payloads and headers of these; others get the plain payload.
    package static func custom(like vendors: [ConnectorEntry]) -> ConnectorEntry {
        var entry = ConnectorEntry(
            name: ConnectorName(rawValue: "custom"), platforms: Platform.allCases, credentials: [.none]
        ) { order, loop, events in
            try CustomConnector(order, like: vendors, loop: loop, events: events)
        }
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
        entry.warning = { _, nmac in
            nmac.custom.url.isEmpty
                ? "connector custom has no receiver, and nothing is sent: name it in nmac/custom/@url of serverConf.xml"
                : nil
        }
        entry.template = { content, terms throws(PayloadError) in
            try payload(
                of: content, terms, like: vendors.first { $0.platforms.contains(terms.app.platform) })
        }
        entry.payloadLimitBytes = { _ in PayloadTemplate.plainLimitBytes }
        entry.secondsToLive = { until, now in
            vendors.lazy.map { $0.secondsToLive(until, now) }.first { $0 > 0 } ?? 0
        }
        entry.hopelessWords = hopeless(CustomReasons.rows.map { ($0.word, $0.verdict) })
        return entry
    }

    static func payload(
        of content: Content, _ terms: PayloadTerms, like vendor: ConnectorEntry?
    ) throws(PayloadError) -> PayloadTemplate {
        if let template = vendor?.template { return try template(content, terms) }
        return try PayloadTemplate.plain(
            content: content, variables: terms.app.variables, delivery: terms.delivery,
            tracking: terms.tracking, idFormat: terms.app.messageIDFormat, limitBytes: terms.limitBytes)
    }

    private static func terms(_ configuration: ServerConfiguration) -> ConnectorTerms {
        let custom = configuration.nmac.custom
        var settings = CustomSettings()
        settings.url = custom.url
        settings.batchMessages = custom.batchMessages
        settings.parallelRequests = custom.parallelRequests
        settings.requestTimeoutSeconds = custom.requestTimeoutSec
        var terms = ConnectorTerms()
        if let address = custom.address { (terms.address, terms.port) = (address.host, address.port) }
        terms.trustedCertsChain = custom.trustedCertsChain
        terms.secretFile = custom.secretFile
        terms.settings = settings.json
        if custom.messagesPerMinute > 0 {
            terms.quota = ConnectorTerms.Quota(
                messagesPerMinute: custom.messagesPerMinute, rampUpSeconds: 0)
        }
        terms.answerSeconds = custom.requestTimeoutSec
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
