package import PushModel

/// The listener for devices, API clients and people: `web`.
package struct WebConfiguration: Equatable, Sendable {
    /// Whether `run` starts the listener. Campaign's default; the shipped file enables this setting.
    package var autoStart = false
    /// The address to listen on. The default is the loopback address, so other machines cannot connect unless
    /// the operator changes it.
    package var bind = "127.0.0.1"
    /// The port to listen on; 0 means any free port. Campaign's default.
    package var httpPort = 8_080
    /// The address for the port of operators; see ``adminPort``.
    package var adminBind = "127.0.0.1"
    /// A second port, for `/metrics`, `/healthz`, `/readyz` and the API; 0 means any free port. If it is set,
    /// ``httpPort`` answers devices only. `nil` means that one port answers everything.
    package var adminPort: Int?
    /// Whether the port that answers the API also answers the console.
    package var console = true
    /// The URL at which devices reach the web module; `nil` if it is unknown. The module itself does not need
    /// it.
    package var publicURL: PublicURL?
    /// A file with the token that API clients present. The token is in a separate file because serverConf.xml
    /// must not contain secrets.
    package var apiTokenFile = "var/api.token"
    /// A PEM file that begins with the server's certificate; `nil` disables TLS.
    package var certificateChain: String?
    /// A PEM file; `nil` disables TLS.
    package var privateKey: String?

    /// Maximum number of open connections. When this number is reached, each new connection replaces a
    /// connection that is waiting for its client.
    package var maxConnections = 1_000
    /// How long a connection is kept open between two requests, in seconds. It must exceed the corresponding
    /// timeout of load balancers, which is 60 s by default for most. Otherwise, load balancers send requests
    /// on a connection that is being closed.
    package var keepAliveSec = 75
    package var keepAlive: Duration { .seconds(keepAliveSec) }
    /// The limit for one client address. 0 means unlimited. Clients on this machine are not limited.
    package var maxRequestsPerSecondPerAddress = 1_000
    /// The proxies whose `X-Forwarded-For` is trusted.
    package var trustedProxies: [IPNetwork] = []
    /// The header field in which a trusted proxy states the person; `nil` if proxies state none.
    package var personHeader: String?
    /// The provider with which people sign in.
    package var openID = OpenIDConfiguration()

    /// The two files that TLS requires, or `nil` for cleartext.
    package var tls: TLSFiles? {
        guard let certificateChain, let privateKey else { return nil }
        return TLSFiles(certificateChain: certificateChain, privateKey: privateKey)
    }

    /// Whether only this machine can connect.
    package var bindsLoopbackOnly: Bool { Self.isLoopback(bind) }

    static func isLoopback(_ host: String) -> Bool {
        addresses(of: host)?.allSatisfy(\.isLoopback) ?? false
    }

    /// Reports whether two listeners with these addresses cannot have the same port.
    static func overlap(_ one: String, _ other: String) -> Bool {
        if one.lowercased() == other.lowercased() { return true }
        guard let left = addresses(of: one), let right = addresses(of: other) else {
            // The addresses of other names are not known here.
            return [one, other].contains { IPAddress($0) == any || IPAddress($0) == anyV4 }
        }
        return left.contains { one in
            right.contains { one == $0 || isEvery(one, $0) || isEvery($0, one) }
        }
    }

    /// Reports whether a listener at an address receives all connections to the other address.
    private static func isEvery(_ address: IPAddress, _ other: IPAddress) -> Bool {
        address == any || address == anyV4 && other.isV4
    }

    private static let (any, anyV4) = (IPAddress(high: 0, low: 0), IPAddress(v4: 0))

    /// Returns `nil` for a name other than `localhost`, which may be either of two addresses.
    private static func addresses(of host: String) -> [IPAddress]? {
        if host.lowercased() == "localhost" {
            return [IPAddress(v4: 0x7F00_0001), IPAddress(high: 0, low: 1)]
        }
        return IPAddress(host).map { [$0] }
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

/// The reports from devices: `tracking`.
package struct TrackingConfiguration: Equatable, Sendable {
    /// The format for apps that do not choose one. Campaign's sample code parses an integer and crashes on
    /// anything else, so `integer` is the default.
    package var messageIDFormat = MessageIDFormat.integer

    package init() {}
}

/// Whether reports from devices are recorded: `trackinglogd`.
package struct TrackingLogConfiguration: Equatable, Sendable {
    /// Campaign's default; the shipped file enables this setting.
    package var autoStart = false

    package init() {}
}
