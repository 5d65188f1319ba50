/// The outbound connection through a third party's host: `shared/proxyConfig`. It is used for gateways only
/// if `nmac/@useHTTPProxy` requests it.
package struct ProxyConfiguration: Equatable, Sendable {
    /// Whether the proxies may be used. Campaign's default.
    package var isEnabled = false
    /// Hosts that are reached directly, with `*` and `?` as in file names. Campaign's default.
    package var override = ["localhost*"]
    /// Whether `proxyHTTP` also serves encrypted connections. Campaign's default is a separate proxy for each
    /// kind of connection.
    package var useSingleProxy = false
    package var http = ProxyServer()
    package var https = ProxyServer()

    /// The proxy for encrypted connections, which all gateways require; `nil` if its address is empty.
    package var forTLS: ProxyServer? {
        let server = useSingleProxy ? http : https
        return server.address.isEmpty ? nil : server
    }

    /// Reports whether a host is on the list of hosts that are reached directly.
    package func bypasses(_ host: String) -> Bool {
        override.contains { HostPattern.matches(host, pattern: $0) }
    }

    package init() {}
}

/// A proxy with its account.
package struct ProxyServer: Equatable, Sendable {
    /// The host name or address; empty if there is no proxy.
    package var address = ""
    /// The port. `nil` is allowed only if the proxy is not used, because a third party's host has no sensible
    /// default port.
    package var port: Int?
    /// The account's name; empty if the proxy does not require one.
    package var login = ""
    package var password = Secret("")

    package init() {}
}

/// A text that is hidden from printing, dumps and mirrors.
package struct Secret: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let text: String
    package init(_ text: String) { self.text = text }

    /// Returns the text itself. The caller is responsible for where it goes.
    package func reveal() -> String { text }
    package var isEmpty: Bool { text.isEmpty }
    package var description: String { isEmpty ? "" : "(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

enum HostPattern {
    /// Reports whether a host matches a pattern. `*` stands for any text and `?` for one character; case is
    /// ignored.
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
                // Makes the last star match one more character, and compares the rest again.
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
