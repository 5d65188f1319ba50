internal import PushConfig
internal import PushModel
internal import PushTransport
internal import PushWire

extension ConnectorEntry {
    /// APNs' ended binary protocol: `nmac/iosBinary`.
    static let apnsBinary = ConnectorEntry(
        name: .ios, campaignPage: "ios.jsp", platforms: [.ios], credentials: [.apnsCertificate],
        terms: { configuration in
            let binary = configuration.nmac.iosBinary
            var settings = APNsBinarySettings()
            (settings.feedbackAddress, settings.feedbackPort) = (binary.feedback, binary.feedbackPort)
            settings.confirmAfterSeconds = binary.confirmAfterSec
            settings.unconfirmedFrames = binary.unconfirmedFrames
            var terms = ConnectorTerms()
            terms.ownHost = APNsBinaryHosts.production
            (terms.address, terms.port) = (binary.gateway, binary.gatewayPort)
            terms.trustedCertsChain = binary.trustedCertsChain
            terms.settings = settings.json
            // Frames that a silent gateway has not refused yet wait there.
            terms.ownCapacity = binary.unconfirmedFrames
            terms.answerSeconds = binary.confirmAfterSec
            terms.acceptancesArriveLate = true
            terms.feedbackPeriodSeconds = binary.feedbackPeriodSec
            return terms
        },
        gateway: {
            let endpoint = APNsBinaryHosts.gateway($0)
            return (endpoint.host, endpoint.port)
        },
        feedback: { (try? APNsBinaryHosts.feedback($0)).map { ($0.host, $0.port) } },
        testing: { gateway in
            var gateway = gateway
            var settings = try APNsBinarySettings(json: gateway.settings)
            settings.confirmAfterSeconds = min(settings.confirmAfterSeconds, silenceOfTestSeconds)
            gateway.settings = settings.json
            return gateway
        },
        make: { order, loop, events in try APNsBinaryConnector(order, loop: loop, events: events) })

    /// As long as an operator waits for a gateway that says nothing; the answer to a single frame is a round trip
    /// away.
    private static let silenceOfTestSeconds = 3
}
