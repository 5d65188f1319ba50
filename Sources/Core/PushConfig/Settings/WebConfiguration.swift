package import PushModel

/// The listener for devices, callers of the API and people: `web`.
package struct WebConfiguration: Equatable, Sendable {
    /// Campaign's default; the shipped file starts it.
    package var autoStart = false
    /// Loopback: nobody else is meant until somebody says so.
    package var bind = "127.0.0.1"
    /// Campaign's default. 0: any free port.
    package var httpPort = 8_080
    /// Holds the token that callers of the API show. A file of its own, because secrets do not stand in
    /// serverConf.xml.
    package var apiTokenFile = "var/api.token"
    /// PEM, the server's certificate first; nil: without TLS.
    package var certificateChain: String?
    /// PEM; nil: without TLS.
    package var privateKey: String?

    /// At once. Where there are as many, one that waits for its client makes way for the next.
    package var maxConnections = 1_000
    /// How long a connection is kept open between two requests, in seconds. Longer than what load balancers
    /// keep theirs, which is 60 s by default for most: otherwise they send requests to a connection that is
    /// being closed.
    package var keepAliveSec = 75
    package var keepAlive: Duration { .seconds(keepAliveSec) }
    /// Of one client, by its address; 0: as many as come. Clients of this very machine are not limited.
    package var maxRequestsPerSecondPerAddress = 1_000
    /// Whose `X-Forwarded-For` is believed.
    package var trustedProxies: [IPNetwork] = []

    /// Both files, or nil for cleartext.
    package var tls: TLSFiles? {
        guard let certificateChain, let privateKey else { return nil }
        return TLSFiles(certificateChain: certificateChain, privateKey: privateKey)
    }

    /// Whether only this machine can connect.
    package var bindsLoopbackOnly: Bool {
        bind.lowercased() == "localhost" || IPAddress(bind)?.isLoopback ?? false
    }

    package init() {}
}

package struct TLSFiles: Equatable, Sendable {
    package var certificateChain: String
    package var privateKey: String

    package init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// What devices report back: `tracking`.
package struct TrackingConfiguration: Equatable, Sendable {
    /// For apps that do not choose. The samples of Campaign's documentation parse an integer and crash on
    /// anything else, so it is the default.
    package var messageIDFormat = MessageIDFormat.integer

    package init() {}
}

/// Whether what they report is recorded: `trackinglogd`.
package struct TrackingLogConfiguration: Equatable, Sendable {
    /// Campaign's default; the shipped file starts it.
    package var autoStart = false

    package init() {}
}
