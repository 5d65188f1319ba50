internal import GatewayAPNs
package import GatewayKit
internal import PushConfig
internal import PushModel
internal import PushPayload
internal import PushTransport
internal import PushWire

extension ConnectorEntry {
    /// APNs' discontinued binary protocol: `nmac/iosBinary`.
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
        entry.keys = GatewayKeys(
            host: \.nmac.iosBinary.gateway, port: \.nmac.iosBinary.gatewayPort,
            trust: \.nmac.iosBinary.trustedCertsChain)
        entry.explainPlaces = { feedback(of: $0) }
        entry.explainPace = { pace($0.configuration.nmac.iosBinary) }
        entry.testSubject = "the credential and the topic"
        entry.end = { endOfCertificate($0) }
        entry.warning = { _, nmac in
            nmac.iosBinary.gateway.isEmpty
                ? "Apple has shut down its binary gateway, and connector ios can use only a private one: "
                    + "set it in nmac/iosBinary/@gateway of serverConf.xml"
                : nil
        }
        entry.pollFeedback = { settings, credential, gateway, each in
            FeedbackPoll.run(settings: settings, credential: credential, gateway: gateway, each: each)
        }
        entry.template = { content, terms throws(PayloadError) in
            try PayloadTemplate.apns(
                content: content, variables: terms.app.variables, delivery: terms.delivery,
                tracking: terms.tracking, idFormat: terms.app.messageIDFormat, limitBytes: terms.limitBytes)
        }
        entry.content = .apnsBinary
        entry.hasSandbox = true
        entry.payloadLimitBytes = { $1.iosBinary.maxPayloadBytes }
        entry.explainPayloadLimit = \ServerConfiguration.nmac.iosBinary.maxPayloadBytes
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
        entry.answers = [APNsBinaryReasons.table]
        return entry
    }()

    private static func terms(_ binary: IOSBinaryConfiguration) -> ConnectorOptions {
        var settings = APNsBinarySettings()
        (settings.feedbackAddress, settings.feedbackPort) = (binary.feedback, binary.feedbackPort)
        settings.confirmAfterSeconds = binary.confirmAfterSec
        settings.unconfirmedFrames = binary.unconfirmedFrames
        settings.maxPayloadBytes = binary.maxPayloadBytes
        var terms = ConnectorOptions()
        terms.ownHost = APNsBinaryHosts.production
        (terms.address, terms.port) = (binary.gateway, binary.gatewayPort)
        terms.trustedCertsChain = binary.trustedCertsChain
        terms.settings = settings.json
        // This capacity is for frames that wait until the gateway's silence confirms them.
        terms.ownCapacity = binary.unconfirmedFrames
        terms.answerSeconds = binary.confirmAfterSec
        terms.acceptancesArriveLate = true
        terms.feedbackPeriodSeconds = binary.feedbackPeriodSec
        return terms
    }

    private static func feedback(of account: ExplainedAccount) -> [ExplainedSetting] {
        let binary = account.configuration.nmac.iosBinary
        let period = ExplainedSetting(
            "feedback period", DurationText.text(seconds: Int64(binary.feedbackPeriodSec)),
            \.nmac.iosBinary.feedbackPeriodSec)
        guard let feedback = try? APNsBinaryHosts.feedback(account.order) else { return [period] }
        let place = "\(feedback.host):\(feedback.port)"
        return [
            ExplainedSetting(
                "feedback", place,
                binary.feedback.isEmpty
                    ? .unset(\.nmac.iosBinary.feedback, else: "the vendor's")
                    : .setting(\.nmac.iosBinary.feedback)),
            period,
        ]
    }

    private static func pace(_ binary: IOSBinaryConfiguration) -> [ExplainedSetting] {
        let rate = Numerals.grouped(binary.unconfirmedFrames / max(binary.confirmAfterSec, 1))
        return [
            ExplainedSetting("connections", "1 in each child", .text("the protocol's order of frames")),
            ExplainedSetting(
                "confirmed after",
                "\(binary.confirmAfterSec) s of silence", \.nmac.iosBinary.confirmAfterSec),
            ExplainedSetting(
                "unconfirmed frames", Numerals.grouped(binary.unconfirmedFrames),
                \.nmac.iosBinary.unconfirmedFrames),
            ExplainedSetting("rate", "\(rate)/s in each child", .text("unconfirmed frames ÷ silence")),
        ]
    }

    /// The time, in seconds, that a connection test waits if the gateway sends nothing. The answer to a
    /// single frame takes one round trip.
    private static let silenceOfTestSeconds = 3
}
