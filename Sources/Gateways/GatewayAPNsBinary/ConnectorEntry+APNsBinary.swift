package import GatewayKit
internal import PushConfig
internal import PushModel
internal import PushTransport
internal import PushWire

extension ConnectorEntry {
    /// APNs' ended binary protocol: `nmac/iosBinary`.
    package static let apnsBinary = {
        var entry = ConnectorEntry(name: .ios, platforms: [.ios], credentials: [.apnsCertificate]) {
            order, loop, events in try APNsBinaryConnector(order, loop: loop, events: events)
        }
        entry.campaignPage = "ios.jsp"
        entry.terms = { terms($0.nmac.iosBinary) }
        entry.gateway = {
            let endpoint = APNsBinaryHosts.gateway($0)
            return (endpoint.host, endpoint.port)
        }
        entry.feedback = { (try? APNsBinaryHosts.feedback($0)).map { ($0.host, $0.port) } }
        entry.readFeedback = { order, loop, listener in
            try FeedbackReader(order, loop: loop, listener: listener)
        }
        entry.testing = { gateway in
            var gateway = gateway
            var settings = try APNsBinarySettings(json: gateway.settings)
            settings.confirmAfterSeconds = min(settings.confirmAfterSeconds, silenceOfTestSeconds)
            gateway.settings = settings.json
            return gateway
        }
        entry.hopelessWords = hopeless(APNsBinaryReasons.rows.map { ($0.wire, $0.verdict) })
        return entry
    }()

    private static func terms(_ binary: IOSBinaryConfiguration) -> ConnectorTerms {
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
    }

    /// As long as an operator waits for a gateway that says nothing; the answer to a single frame is a round trip
    /// away.
    private static let silenceOfTestSeconds = 3
}
