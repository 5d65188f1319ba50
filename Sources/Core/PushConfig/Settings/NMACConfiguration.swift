/// The gateways: `nmac`.
package struct NMACConfiguration: Equatable, Sendable {
    /// Gateways are reached through `shared/proxyConfig`. Campaign's default is directly.
    package var useHTTPProxy = false
    /// After the end of a delivery: as long as a month's deliveries are asked about. 0: for ever.
    package var retentionDays = 30
    /// As long as a receiver may be away over a holiday.
    package var webhookDays = 7
    /// A day of millions of messages takes some megabytes where receivers want everything; this is for one
    /// that went away unnoticed.
    package var webhookOutboxMb = 256
    package var relay = APNsRelayConfiguration()
    package var iosHTTP2 = IOSHTTP2Configuration()
    package var iosBinary = IOSBinaryConfiguration()
    package var fcm = FCMConfiguration()
    package var retry = RetryConfiguration()
    package var quarantine = QuarantineConfiguration()

    package init() {}
}

/// A host in the place of Apple's for the HTTP/2 connector, such as a relay or a mock: `nmac/relay`.
package struct APNsRelayConfiguration: Equatable, Sendable {
    /// Empty: Apple's own hosts. Campaign's default.
    package var address = ""
    /// APNs' and Campaign's default.
    package var port = 443
    /// PEM file of the authorities to trust in the place of the system's; nil for the system's. A mock has
    /// its own.
    package var trustedCertsChain: String?

    /// Nil: Apple's own hosts.
    package var endpoint: HostAndPort? { HostAndPort(host: address, port: port) }

    package init() {}
}

/// APNs over HTTP/2: `nmac/iosHTTP2`.
package struct IOSHTTP2Configuration: Equatable, Sendable {
    /// For each account. One carries a hundred thousand requests a second; more help against a far gateway
    /// whose window of streams is small.
    package var connectionsPerChild = 1
    /// Long enough for a slow answer, whose message would otherwise be sent twice; short enough to notice a
    /// dead peer.
    package var requestTimeoutSec = 30

    package init() {}
}

/// The ended binary gateway and its feedback service: `nmac/iosBinary`.
package struct IOSBinaryConfiguration: Equatable, Sendable {
    /// Empty: Apple's former hosts.
    package var gateway = ""
    package var gatewayPort = 2195
    /// Empty: Apple's former hosts.
    package var feedback = ""
    package var feedbackPort = 2196
    /// Campaign's own opt-out workflow asked every six hours.
    package var feedbackPeriodSec = 21_600
    /// The gateway is silent about success: a frame without an error for so long is taken as accepted.
    package var confirmAfterSec = 5
    /// Frames kept to be sent again when an error names an earlier one; the connection stops at as many.
    package var unconfirmedFrames = 100_000
    /// As ``APNsRelayConfiguration/trustedCertsChain``.
    package var trustedCertsChain: String?

    package init() {}
}

/// Firebase Cloud Messaging: `nmac/fcm`.
package struct FCMConfiguration: Equatable, Sendable {
    /// Empty: Google's host.
    package var address = ""
    package var port = 443
    /// Where OAuth tokens come from; empty: what the service account says.
    package var tokenAddress = ""
    package var tokenPort = 443
    /// As ``APNsRelayConfiguration/trustedCertsChain``.
    package var trustedCertsChain: String?
    /// A project's quota as Google grants it by default. 0: no limit.
    package var messagesPerMinute = 600_000
    /// Google asks senders to reach their full rate over a minute. 0: at once.
    package var rampUpSec = 60
    package var requestTimeoutSec = 30
    /// What Google calls each message is kept with it, which costs a row a message.
    package var keepMessageIds = false

    package var endpoint: HostAndPort? { HostAndPort(host: address, port: port) }
    package var tokenEndpoint: HostAndPort? { HostAndPort(host: tokenAddress, port: tokenPort) }

    package init() {}
}

/// The retry calendar, where a delivery does not bring its own: `nmac/retry`.
package struct RetryConfiguration: Equatable, Sendable {
    /// On the first day; after it once a day until validity ends. Campaign's default.
    package var count = 5
    /// Between two attempts of the first day. Campaign's default.
    package var periodSec = 3_600
    /// A gateway's own minimum wait is kept even if the period is shorter.
    package var minimumDelays = true
    /// Retries before the calendar, after a lost connection or a 5xx of FCM. Most such troubles are over after some
    /// seconds: with the waits of 1, 2, 4 and 8 seconds a message has five attempts within a quarter of a minute.
    package var fastCount = 4
    /// Before the first of these; it doubles with each.
    package var fastDelaySec = 1

    package init() {}
}

/// When a token is no longer sent to: `nmac/quarantine`.
package struct QuarantineConfiguration: Equatable, Sendable {
    /// Soft errors. Campaign's default.
    package var maxErrors = 5
    /// Two errors nearer than this count as one. Campaign's default.
    package var significantErrorDelaySec = 86_400
    /// The largest share of an app's devices that may be dead: old registries have lost up to 60 % of theirs.
    package var stormRatio = 0.65
    /// A shorter run of dead tokens stops no account.
    package var stormMinimum = 100
    /// The next deliveries of most apps bring answers within a day.
    package var holdDelaySec = 86_400
    /// Then the subscriber is removed. Campaign has an option of its own for it; nothing is lost by patience
    /// but space, and a list that is imported each quarter finds its dead tokens still in quarantine. 0:
    /// never.
    package var purgeDelaySec = 90 * 86_400

    package init() {}
}
