package import PushConfig

/// The discontinued binary gateway and its feedback service: `nmac/iosBinary`.
package struct IOSBinaryConfiguration: GatewaySection {
    /// The gateway's host and port. Empty means Apple's former hosts.
    package var gateway = ""
    package var gatewayPort = 2195
    /// The feedback service's host and port. Empty means Apple's former hosts.
    package var feedback = ""
    package var feedbackPort = 2196
    /// The interval between two readings of the feedback service, in seconds. Campaign's own opt-out workflow
    /// polled every six hours.
    package var feedbackPeriodSec = 21_600
    /// The confirmation time, in seconds. The gateway does not report success, so a frame counts as accepted
    /// if there is no error within this time.
    package var confirmAfterSec = 5
    /// The maximum number of frames that wait for confirmation. They may have to be sent again if an error
    /// names an earlier frame. When this number is reached, the connection pauses.
    package var unconfirmedFrames = 100_000
    /// The maximum size of a payload that the gateway accepts, in bytes.
    package var maxPayloadBytes = APNsBinaryRequest.usualPayloadBytes
    /// See ``APNsRelayConfiguration/trustedCertsChain``.
    package var trustedCertsChain: String?

    package init() {}
}

extension NMACConfiguration {
    package var iosBinary: IOSBinaryConfiguration {
        get { gateways[IOSBinaryConfiguration.self] }
        set { gateways[IOSBinaryConfiguration.self] = newValue }
    }
}

extension GatewayDeclaration {
    /// The declaration of `nmac/iosBinary`.
    package static let apnsBinary = GatewayDeclaration(
        keys:
            ConfigurationKey.element(
                "nmac/iosBinary",
                [
                    .init(
                        "gateway", \.nmac.iosBinary.gateway, .host, .ours,
                        "A host that replaces Apple's former binary gateway."),
                    .init(
                        "gatewayPort", \.nmac.iosBinary.gatewayPort, .port, .ours, "The port of `gateway`."),
                    .init(
                        "feedback", \.nmac.iosBinary.feedback, .host, .ours,
                        "A host that replaces Apple's former feedback service."),
                    .init(
                        "feedbackPort", \.nmac.iosBinary.feedbackPort, .port, .ours, "The port of `feedback`."
                    ),
                    .init(
                        "feedbackPeriodSec", \.nmac.iosBinary.feedbackPeriodSec, .seconds(1...604_800), .ours,
                        "The time from one complete reading of the feedback service to the next. Each "
                            + "reading disables subscribers whose app was removed."),
                    .init(
                        "confirmAfterSec", \.nmac.iosBinary.confirmAfterSec, .seconds(1...3_600), .ours,
                        """
                        The gateway does not confirm frames: a frame counts as sent if there is no error \
                        within this time.
                        """
                    ),
                    .init(
                        "unconfirmedFrames", \.nmac.iosBinary.unconfirmedFrames, .count(1...10_000_000),
                        .ours,
                        "The maximum number of frames waiting for `confirmAfterSec`, for each child and "
                            + "account, in addition to `maxWaitingMessages`. This number divided by "
                            + "`confirmAfterSec` is the maximum rate. The setting also limits the number of "
                            + "duplicates when a connection ends silently."),
                    .init(
                        "maxPayloadBytes", \.nmac.iosBinary.maxPayloadBytes,
                        .count(APNsBinaryRequest.usualPayloadBytes...APNsBinaryRequest.largestPayloadBytes),
                        .ours,
                        "The maximum size of a payload in bytes. Apple's gateway accepted 2 048; a private "
                            + "gateway may accept more."),
                    .init(
                        "trustedCertsChain", \.nmac.iosBinary.trustedCertsChain, .optionalPath, .ours,
                        "A PEM file of the certificate authorities that are trusted for this gateway. Empty: "
                            + "the system's authorities."),
                ]),
        note: { ConfirmedRate($0).note })
}
