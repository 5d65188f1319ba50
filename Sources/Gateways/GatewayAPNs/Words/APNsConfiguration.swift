package import PushConfig

/// A host that replaces Apple's for the HTTP/2 connector, such as a relay or a mock: `nmac/relay`.
package struct APNsRelayConfiguration: GatewaySection {
    /// The host. Empty means Apple's own hosts, which is Campaign's default.
    package var address = ""
    /// The default of APNs and Campaign.
    package var port = 443
    /// A PEM file of the authorities to trust instead of the system's; `nil` for the system's. A mock has its
    /// own.
    package var trustedCertsChain: String?

    /// `nil` for Apple's own hosts.
    package var endpoint: HostAndPort? { HostAndPort(host: address, port: port) }

    package init() {}
}

/// APNs over HTTP/2: `nmac/iosHTTP2`.
package struct IOSHTTP2Configuration: GatewaySection {
    /// The number of connections for each account. One connection carries a hundred thousand requests a
    /// second. More connections help with a distant gateway that allows few streams.
    package var connectionsPerChild = 1
    /// Long enough for a slow answer, whose message would otherwise be sent twice, and short enough to detect
    /// a dead peer.
    package var requestTimeoutSec = 30
    /// The token makes up two thirds of a request's header, and Apple allows either setting.
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
    /// `nmac/relay`, `nmac/iosHTTP2`.
    package static let apns = GatewayDeclaration(
        keys:
            ConfigurationKey.element(
                "nmac/relay",
                [
                    .init(
                        "address", \.nmac.relay.address, .host, .campaign,
                        "A relay or mock in the place of Apple's HTTP/2 hosts."),
                    .init("port", \.nmac.relay.port, .port, .campaign, "Its port."),
                    .init(
                        "trustedCertsChain", \.nmac.relay.trustedCertsChain, .optionalPath, .campaign,
                        "PEM file of authorities that may vouch for it; empty: the system's."),
                ])
            + ConfigurationKey.element(
                "nmac/iosHTTP2",
                [
                    .init(
                        "connectionsPerChild", \.nmac.iosHTTP2.connectionsPerChild, .count(1...256), .ours,
                        "Connections to APNs, for each child and account."),
                    .init(
                        "requestTimeoutSec", \.nmac.iosHTTP2.requestTimeoutSec, .seconds(1...3_600), .ours,
                        "A request without an answer for so long is given up and tried again."),
                    .init(
                        "indexAuthorization", \.nmac.iosHTTP2.indexAuthorization, .bool, .ours,
                        "APNs may remember a connection's provider token (HPACK); "
                            + "`false`: it goes with each message."
                    ),
                ]))
}
