/// Where a connection goes.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// The name that TLS verifies and that SNI and `:authority` carry, or an address; IPv6 with or without
    /// brackets.
    package let host: String
    package let port: Int
    /// Connect there instead, still speaking to `host`: a relay, or a test's peer.
    package var connectTo: Detour?
    /// Go through this HTTP proxy with CONNECT. `nil`: directly; the environment's proxy variables are never
    /// read.
    package var proxy: HTTPProxy?

    package struct Detour: Sendable, Hashable {
        package let host: String
        package let port: Int
        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }
        var description: String { "\(bracketed(host)):\(port)" }
    }

    package init(host: String, port: Int, connectTo: Detour? = nil, proxy: HTTPProxy? = nil) {
        (self.host, self.port, self.connectTo, self.proxy) = (host, port, connectTo, proxy)
    }

    /// `host` or `host:port`, as `:authority` wants it: 443 is not said.
    package var authority: String { port == 443 ? bracketed(host) : description }
    package var description: String { "\(bracketed(host)):\(port)" }
}

/// A host as it stands before `:port`: an IPv6 address in brackets (RFC 3986, 3.2.2), anything else as it is.
func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
}

/// An HTTP proxy that tunnels with CONNECT. The credentials are in no description.
package struct HTTPProxy: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: Int
    package var user: String?
    package var password: String?
    package init(host: String, port: Int, user: String? = nil, password: String? = nil) {
        (self.host, self.port, self.user, self.password) = (host, port, user, password)
    }
    package var description: String { "\(bracketed(host)):\(port)" }
}
