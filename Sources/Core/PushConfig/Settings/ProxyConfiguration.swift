/// The way out through somebody else's host: `shared/proxyConfig`. Used for gateways only where
/// `nmac/@useHTTPProxy` asks for it.
package struct ProxyConfiguration: Equatable, Sendable {
    /// Campaign's default.
    package var isEnabled = false
    /// Hosts that are reached directly, `*` and `?` as in file names. Campaign's default.
    package var override = ["localhost*"]
    /// `proxyHTTP` serves encrypted connections as well. Campaign's default is one proxy for each kind.
    package var useSingleProxy = false
    package var http = ProxyServer()
    package var https = ProxyServer()

    /// The proxy for encrypted connections, which all gateways want; nil where its address is empty.
    package var forTLS: ProxyServer? {
        let server = useSingleProxy ? http : https
        return server.address.isEmpty ? nil : server
    }

    /// Whether a host is on the list of those that are reached directly.
    package func bypasses(_ host: String) -> Bool {
        override.contains { HostPattern.matches(host, pattern: $0) }
    }

    package init() {}
}

/// One proxy with its account.
package struct ProxyServer: Equatable, Sendable {
    /// Empty: there is none.
    package var address = ""
    /// Nil is allowed only while the proxy is not used: no default is right for somebody else's host.
    package var port: Int?
    /// Empty: the proxy asks for no name.
    package var login = ""
    package var password = Secret("")

    package init() {}
}

/// A text that does not print, dump or mirror.
package struct Secret: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let text: String
    package init(_ text: String) { self.text = text }

    /// The text itself. Whoever asks answers for where it goes.
    package func reveal() -> String { text }
    package var isEmpty: Bool { text.isEmpty }
    package var description: String { isEmpty ? "" : "(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

enum HostPattern {
    /// `*` stands for any text, `?` for one character; letters match in either case.
    static func matches(_ host: String, pattern: String) -> Bool {
        let host = Array(host.lowercased()), pattern = Array(pattern.lowercased())
        var at = 0, p = 0
        var star: (pattern: Int, host: Int)?
        while at < host.count {
            if p < pattern.count, pattern[p] == "*" {
                star = (p, at)
                p += 1
            } else if p < pattern.count, pattern[p] == "?" || pattern[p] == host[at] {
                at += 1
                p += 1
            } else if let last = star {
                // The last star takes one character more, and the rest is tried again.
                star = (last.pattern, last.host + 1)
                p = last.pattern + 1
                at = last.host + 1
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == "*" }
    }
}
