package import GatewayKit
internal import PushConfig
internal import PushModel
internal import PushWire

extension ConnectorEntry {
    /// APNs over HTTP/2: `nmac/relay`, `nmac/iosHTTP2`.
    package static let apns = {
        var entry = ConnectorEntry(
            name: .iosHTTP2, platforms: [.ios], credentials: [.apnsToken, .apnsCertificate]
        ) { order, loop, events in try APNsConnector(order, loop: loop, events: events) }
        entry.campaignPage = "iosHTTP2.jsp"
        entry.terms = { configuration in
            let (relay, http2) = (configuration.nmac.relay, configuration.nmac.iosHTTP2)
            var settings = APNsSettings()
            settings.connectionsPerChild = http2.connectionsPerChild
            settings.requestTimeoutSeconds = http2.requestTimeoutSec
            var terms = ConnectorTerms()
            terms.ownHost = APNsHosts.production
            (terms.address, terms.port) = (relay.address, relay.port)
            terms.trustedCertsChain = relay.trustedCertsChain
            terms.settings = settings.json
            terms.answerSeconds = http2.requestTimeoutSec
            return terms
        }
        entry.gateway = { (APNsHosts.host(for: $0), Int($0.gateway.port)) }
        entry.topic = { content, bundleID in APNsHeading(content.ios).topic(of: bundleID) }
        entry.hopelessWords = hopeless(APNsReasons.rows.map { ($0.wire, $0.verdict) })
        return entry
    }()
}
