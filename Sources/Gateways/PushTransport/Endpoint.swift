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
        return "\(Self.encoded(user ?? "")):\(Self.encoded(password ?? ""))"
    }

    /// Percent-encodes everything except letters, digits and `-._~` (RFC 3986, 2.3).
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
    package var description: String { "\(bracketed(host)):\(port)" }
}
