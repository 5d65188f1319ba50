internal import PushModel

/// The URL at which devices reach the web module: `web/@publicUrl`. It may be the URL of a proxy, which may
/// add a path.
package struct PublicURL: Equatable, Sendable {
    package let isSecure: Bool
    /// The host, with brackets if it is an IPv6 address, and the port if it is written.
    package let authority: String
    /// Whether only programs on the same machine can use the URL.
    package let isLoopback: Bool
    /// The path without a slash at its end; empty if there is none.
    package let path: String

    /// - Returns: `nil` if the text is not a URL with http or https, has a user, a query or a fragment, or
    ///   has characters in its path that a URL would have to encode.
    package init?(_ text: String) {
        guard let mark = text.firstRange(of: "://") else { return nil }
        switch text[..<mark.lowerBound].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: return nil
        }
        let rest = text[mark.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let (authority, path) = (rest[..<slash], rest[slash...])
        // The colon before a port follows the bracket of an IPv6 address.
        let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
        let colon = authority[bracket...].lastIndex(of: ":")
        let host = authority[..<(colon ?? authority.endIndex)]
        guard !host.isEmpty, host.hasPrefix("[") || !host.contains(":"), HostName.isValid(String(host)) else {
            return nil
        }
        if let colon {
            let port = WholeNumber.read(authority[authority.index(after: colon)...])
            guard let port, 1...65_535 ~= port else { return nil }
        }
        let isPlain = path.utf8.allSatisfy { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
        guard isPlain, !path.contains("//") else { return nil }
        self.authority = authority.lowercased()
        isLoopback = WebConfiguration.isLoopback(host.filter { $0 != "[" && $0 != "]" })
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : String(path)
    }

    /// The URL without a slash at its end, such as `https://push.example.com:8443`.
    package var text: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }
}
