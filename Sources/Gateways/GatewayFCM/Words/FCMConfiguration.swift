package import PushConfig

/// Firebase Cloud Messaging: `nmac/fcm`.
package struct FCMConfiguration: GatewaySection {
    /// The host of FCM. Empty means Google's host.
    package var address = ""
    package var port = 443
    /// The host that issues OAuth tokens. If it is empty, the service account's `token_uri` names the host.
    package var tokenAddress = ""
    package var tokenPort = 443
    /// See ``APNsRelayConfiguration/trustedCertsChain``.
    package var trustedCertsChain: String?
    /// The quota of each project, in messages per minute. The default is the quota that Google grants by
    /// default. 0 means no limit.
    package var messagesPerMinute = 600_000
    /// The time in which a sender reaches its full rate, in seconds. Google asks senders to take a minute. 0
    /// means immediately.
    package var rampUpSec = 60
    package var requestTimeoutSec = 30
    /// Whether the name that Google gives each message is stored with the message, which requires one more
    /// row per message.
    package var keepMessageIds = false
    /// Whether HPACK may index the access token. See ``IOSHTTP2Configuration/indexAuthorization``.
    package var indexAuthorization = true

    package var endpoint: HostAndPort? { HostAndPort(host: address, port: port) }
    package var tokenEndpoint: HostAndPort? { HostAndPort(host: tokenAddress, port: tokenPort) }

    package init() {}
}

extension NMACConfiguration {
    package var fcm: FCMConfiguration {
        get { gateways[FCMConfiguration.self] }
        set { gateways[FCMConfiguration.self] = newValue }
    }
}

extension GatewayDeclaration {
    /// The declaration of `nmac/fcm`.
    package static let fcm = GatewayDeclaration(
        keys:
            ConfigurationKey.element(
                "nmac/fcm",
                [
                    .init(
                        "address", \.nmac.fcm.address, .host, .ours, "A host that replaces Google's FCM."),
                    .init("port", \.nmac.fcm.port, .port, .ours, "The port of `address`."),
                    .init(
                        "tokenAddress", \.nmac.fcm.tokenAddress, .host, .ours,
                        "A host that replaces Google's OAuth server."),
                    .init("tokenPort", \.nmac.fcm.tokenPort, .port, .ours, "The port of `tokenAddress`."),
                    .init(
                        "trustedCertsChain", \.nmac.fcm.trustedCertsChain, .optionalPath, .ours,
                        "A PEM file of the certificate authorities that are trusted for this gateway. Empty: "
                            + "the system's authorities."),
                    .init(
                        "messagesPerMinute", \.nmac.fcm.messagesPerMinute, .count(0...100_000_000), .ours,
                        "A project's quota. 0: no limit."),
                    .init(
                        "rampUpSec", \.nmac.fcm.rampUpSec, .seconds(0...86_400), .ours,
                        "The time in which an idle project reaches its full rate. 0: immediately."),
                    .init(
                        "requestTimeoutSec", \.nmac.fcm.requestTimeoutSec, .seconds(1...3_600), .ours,
                        "The time after which a request without an answer is abandoned and tried again."),
                    .init(
                        "keepMessageIds", \.nmac.fcm.keepMessageIds, .bool, .ours,
                        """
                        Whether Google's id of each accepted message is kept for `delivery log`: one row \
                        per message, about 60 MB per million.
                        """
                    ),
                    .init(
                        "indexAuthorization", \.nmac.fcm.indexAuthorization, .bool, .ours,
                        "Whether FCM can index a connection's access token (HPACK). "
                            + "If `false`, the token is sent with each message."
                    ),
                ]),
        note: { AttainableRate($0).note })
}
