package import GatewayKit
internal import PushConfig
package import PushModel
internal import PushPayload
internal import PushTransport
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
            settings.indexesAuthorization = http2.indexAuthorization
            var terms = ConnectorOptions()
            terms.ownHost = APNsHosts.production
            (terms.address, terms.port) = (relay.address, relay.port)
            terms.trustedCertsChain = relay.trustedCertsChain
            terms.settings = settings.json
            terms.answerSeconds = http2.requestTimeoutSec
            return terms
        }
        entry.gateway = { (APNsHosts.host(for: $0), Int($0.gateway.port)) }
        entry.keys = GatewayKeys(
            host: \.nmac.relay.address, port: \.nmac.relay.port, trust: \.nmac.relay.trustedCertsChain)
        entry.explainPace = { account in
            let http2 = account.configuration.nmac.iosHTTP2
            return [
                ExplainedSetting(
                    "connections", "\(http2.connectionsPerChild) in each child",
                    \.nmac.iosHTTP2.connectionsPerChild),
                ExplainedSetting(
                    "time-out", "\(http2.requestTimeoutSec) s", \.nmac.iosHTTP2.requestTimeoutSec),
            ]
        }
        // Apple publishes neither a stream limit nor a quota.
        let maxStreams = HTTP2Configuration().maximumStreams
        entry.window = RequestWindow(
            usualStreams: maxStreams, maxStreams: maxStreams,
            connections: \ServerConfiguration.nmac.iosHTTP2.connectionsPerChild)
        entry.template = { content, terms throws(PayloadError) in
            try PayloadTemplate.apns(
                content: content, variables: terms.app.variables, delivery: terms.delivery,
                tracking: terms.tracking, idFormat: terms.app.messageIDFormat, limitBytes: terms.limitBytes)
        }
        entry.payloadLimitBytes = { content, _ in PayloadTemplate.apnsLimitBytes(of: content.ios.type) }
        entry.content = .apns
        entry.hasSandbox = true
        entry.end = { endOfCertificate($0) }
        entry.testSubject = "the credential and the topic"
        entry.headers = { content, bundleID, expiresAt in
            let fields = APNsRequest.constantFields(
                authority: "", bundleID: bundleID, heading: APNsHeading(content.ios), expiration: expiresAt,
                authorization: nil)
            return Dictionary(
                fields.filter { $0.name.hasPrefix("apns-") }.map { ($0.name, $0.value) },
                uniquingKeysWith: { first, _ in first })
        }
        entry.topic = { content, bundleID in APNsHeading(content.ios).topic(of: bundleID) }
        entry.answers = [APNsReasons.table]
        return entry
    }()

    /// Returns the expiry time of an Apple certificate; `nil` if the credential is a key.
    package static func endOfCertificate(_ credential: OpaqueCredential) -> WallTime? {
        guard case .certificate(let certificate)? = try? APNsCredential(credential) else { return nil }
        return certificate.notAfter
    }
}
