package import PushConfig

/// A host that replaces Apple's host for the HTTP/2 connector, such as a relay or a mock: `nmac/relay`.
package struct APNsRelayConfiguration: GatewaySection {
    /// The host. Empty means Apple's own hosts, which is Campaign's default.
    package var address = ""
    /// The port. The default is the port that APNs and Campaign use.
    package var port = 443
    /// A PEM file of the authorities to trust instead of the system's; `nil` for the system's. A mock usually
    /// has its own authorities.
    package var trustedCertsChain: String?

    /// The configured host and port; `nil` for Apple's own hosts.
    package var endpoint: HostAndPort? { HostAndPort(host: address, port: port) }

    package init() {}
}

/// APNs over HTTP/2: `nmac/iosHTTP2`.
package struct IOSHTTP2Configuration: GatewaySection {
    /// The number of connections for each account. One connection carries a hundred thousand requests a
    /// second. More connections help if the gateway is distant and allows few streams.
    package var connectionsPerChild = 1
    /// The maximum time for an answer, in seconds. It is long enough for a slow answer, because the message
    /// would otherwise be sent twice, and short enough to detect a dead peer.
    package var requestTimeoutSec = 30
    /// Whether HPACK may index the provider token, which makes up two thirds of a request's header. Apple
    /// allows either setting.
    package var indexAuthorization = true

    package init() {}
}

extension NMACConfiguration {
    package var relay: APNsRelayConfiguration {
        get { gateways[APNsRelayConfiguration.self] }
        set { gateways[APNsRelayConfiguration.self] = newValue }
    }

    package var iosHTTP2: IOSHTTP2Configuration {
        get { gateways[IOSHTTP2Configuration.self] }
        set { gateways[IOSHTTP2Configuration.self] = newValue }
    }
}

extension GatewayDeclaration {
    /// The declaration of `nmac/relay` and `nmac/iosHTTP2`.
    package static let apns = GatewayDeclaration(
        keys:
            ConfigurationKey.element(
                "nmac/relay",
                [
                    .init(
                        "address", \.nmac.relay.address, .host, .campaign,
                        "A relay or mock that replaces Apple's HTTP/2 hosts."),
                    .init("port", \.nmac.relay.port, .port, .campaign, "The port of `address`."),
                    .init(
                        "trustedCertsChain", \.nmac.relay.trustedCertsChain, .optionalPath, .campaign,
                        """
                        A PEM file of the certificate authorities that are trusted for the relay. Empty: the \
                        system's authorities.
                        """
                    ),
                ])
            + ConfigurationKey.element(
                "nmac/iosHTTP2",
                [
                    .init(
                        "connectionsPerChild", \.nmac.iosHTTP2.connectionsPerChild, .count(1...256), .ours,
                        "The number of connections to APNs, for each child and account."),
                    .init(
                        "requestTimeoutSec", \.nmac.iosHTTP2.requestTimeoutSec, .seconds(1...3_600), .ours,
                        "The time after which a request without an answer is abandoned and tried again."),
                    .init(
                        "indexAuthorization", \.nmac.iosHTTP2.indexAuthorization, .bool, .ours,
                        "Whether APNs can index a connection's provider token (HPACK). "
                            + "If `false`, the token is sent with each message."
                    ),
                ]))
}
