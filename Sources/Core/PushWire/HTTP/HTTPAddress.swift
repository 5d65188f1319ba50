import PushModel

/// The checked address of an operator's receiver: an absolute URL with `https`, or with `http` if the host is
/// this machine.
package struct HTTPAddress: Equatable, Sendable {
    package static let maxBytes = 2_000

    /// The host, without the brackets of an IPv6 address.
    package let host: String
    package let port: Int
    package let isSecure: Bool
    /// The path including the query. It begins with a slash.
    package let path: String

    package struct Refusal: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package init(_ url: String) throws(Refusal) {
        func refusal(_ why: String) -> Refusal { Refusal(description: "the URL \(why)") }
        guard url.utf8.count <= Self.maxBytes, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw refusal(
                "is longer than \(Self.maxBytes) bytes or contains characters that must be percent-encoded")
        }
        let rest: Substring
        switch url.lowercased() {
        case let text where text.hasPrefix("https://"): (isSecure, rest) = (true, url.dropFirst(8))
        case let text where text.hasPrefix("http://"): (isSecure, rest) = (false, url.dropFirst(7))
        default: throw refusal("must start with https:// or, for this machine only, http://")
        }
        guard !rest.contains("#") else { throw refusal("has a fragment, which is not sent; remove it") }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw refusal("contains a user name or password, which would be exposed; remove it")
        }
        guard let (host, port) = Self.parts(of: authority) else {
            throw refusal("has no valid host and port")
        }
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
        let path = rest.dropFirst(authority.count)
        self.path = path.hasPrefix("/") ? String(path) : "/\(path)"
        guard isSecure || Self.isLoopback(host) else {
            throw refusal(
                "is not encrypted: use https://; http:// is allowed only for localhost, 127.0.0.1 and [::1]")
        }
    }

    private static func parts(of authority: Substring) -> (host: String, port: Int?)? {
        let host: Substring
        var rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority.dropFirst(host.count)
            let isName = host.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "_" }
            guard isName else { return nil }
        }
        guard !host.isEmpty else { return nil }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.removeFirst() == ":", let port = Int(rest), (1...65_535).contains(port),
            rest.allSatisfy(\.isNumber)
        else { return nil }
        return (String(host), port)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
