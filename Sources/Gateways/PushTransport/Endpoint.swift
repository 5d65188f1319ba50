internal import PushModel

/// The destination of a connection.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// The name that TLS verifies and that SNI and `:authority` contain, or an address; an IPv6 address may
    /// have brackets.
    package let host: String
    package let port: Int
    /// The address of a relay or a test peer to connect to instead. The connection's requests and its TLS
    /// verification still use `host`.
    package var connectTo: ConnectTarget?
    /// The HTTP proxy to use with CONNECT. `nil` for a direct connection; the proxy variables of the
    /// environment are never read.
    package var proxy: HTTPProxy?

    package struct ConnectTarget: Sendable, Hashable {
        package let host: String
        package let port: Int
        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }
        var description: String { "\(bracketed(host)):\(port)" }
    }

    package init(host: String, port: Int, connectTo: ConnectTarget? = nil, proxy: HTTPProxy? = nil) {
        (self.host, self.port, self.connectTo, self.proxy) = (host, port, connectTo, proxy)
    }

    /// `host` or `host:port`, as required for `:authority`: port 443 is omitted.
    package var authority: String { port == 443 ? bracketed(host) : description }
    package var description: String { "\(bracketed(host)):\(port)" }
}

/// Returns a host in the form that precedes `:port`: an IPv6 address in brackets (RFC 3986, 3.2.2), anything
/// else unchanged.
func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
}

/// An HTTP proxy that tunnels with CONNECT. No description contains the credentials.
package struct HTTPProxy: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: Int
    package var user: String?
    package var password: String?
    package init(host: String, port: Int, user: String? = nil, password: String? = nil) {
        (self.host, self.port, self.user, self.password) = (host, port, user, password)
    }

    /// `user:password`, each percent-encoded as libcurl requires; `nil` if the proxy needs no login.
    var encodedLogin: String? {
        guard user != nil || password != nil else { return nil }
        return "\(PercentEncoding.encoded(user ?? "")):\(PercentEncoding.encoded(password ?? ""))"
    }

    package var description: String { "\(bracketed(host)):\(port)" }
}
