/// The endpoint that issues OAuth tokens: the components of a service account's `token_uri`.
package struct TokenEndpoint: Equatable, Sendable {
    package let host: String
    package let port: UInt16
    /// The path, including the query if there is one.
    package let path: String

    package static let google = TokenEndpoint(host: "oauth2.googleapis.com", port: 443, path: "/token")

    /// - Returns: `nil` if the text is not an `https` address with a host name or an IPv4 address. A user
    ///   name, a fragment and characters that cannot be sent in a request line are refused.
    package init?(_ uri: String) {
        let scheme = "https://"
        guard uri.utf8.count <= 2_048, uri.lowercased().hasPrefix(scheme),
            uri.utf8.allSatisfy({
                $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\")
            })
        else { return nil }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isHostByte) else {
            return nil
        }
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let port = UInt16(parts[1]), port > 0
            else { return nil }
            self.port = port
        } else {
            port = 443
        }
        host = String(parts[0])
        let path = rest.dropFirst(authority.count)
        self.path = path.hasPrefix("/") ? String(path) : "/" + path
    }

    private init(host: String, port: UInt16, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
