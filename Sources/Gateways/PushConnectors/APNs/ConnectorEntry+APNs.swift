internal import PushConfig
internal import PushModel
internal import PushWire

extension ConnectorEntry {
    /// APNs over HTTP/2: `nmac/relay`, `nmac/iosHTTP2`.
    static let apns = ConnectorEntry(
        name: .iosHTTP2, campaignPage: "iosHTTP2.jsp", platforms: [.ios],
        credentials: [.apnsToken, .apnsCertificate],
        terms: { configuration in
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
        },
        gateway: { (APNsHosts.host(for: $0), Int($0.gateway.port)) },
        make: { order, loop, events in try APNsConnector(order, loop: loop, events: events) })
}
