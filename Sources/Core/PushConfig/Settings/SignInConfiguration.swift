/// The provider with which people sign in to the console: `web/openId`.
package struct OpenIDConfiguration: Equatable, Sendable {
    /// The provider; `nil` if people sign in with passwords only.
    package var issuer: IssuerURL?
    /// The name of the console at the provider.
    package var clientID = ""
    /// A file with the secret of the console at the provider; `nil` for a public client. The secret is in a
    /// separate file because serverConf.xml must not contain secrets.
    package var clientSecretFile: String?
    /// The claim that has the person's name.
    package var nameClaim = PersonNameClaim.preferredUsername
    /// The scopes that are requested, separated by spaces.
    package var scopes = "openid profile email"
    /// What people call the provider; empty means the issuer's host.
    package var label = ""

    /// The provider's name on the page to sign in.
    package var shownLabel: String { label.isEmpty ? issuer?.host ?? "" : label }

    static func areScopes(_ text: String) -> Bool {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        // RFC 6749, 3.3.
        let isSound = words.allSatisfy { word in
            !word.isEmpty
                && word.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != UInt8(ascii: "\\") }
        }
        return isSound && words.contains("openid") && text.utf8.count <= 500
    }

    static func isClientID(_ text: String) -> Bool {
        text.utf8.count <= 500 && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }

    static func isLabel(_ text: String) -> Bool {
        text.count <= 60 && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    package init() {}
}

/// The claim of an ID token that has the name of the person.
package enum PersonNameClaim: String, CaseIterable, Sendable {
    case preferredUsername = "preferred_username"
    case email
    case subject = "sub"

    /// The scope with which providers state the claim.
    package var scope: String {
        switch self {
        case .preferredUsername: "profile"
        case .email: "email"
        case .subject: "openid"
        }
    }
}

/// The URL that identifies a provider. Providers compare it character by character, so it is kept as it is
/// written.
package struct IssuerURL: Equatable, Sendable {
    package let text: String
    /// The host, and the port if it is written.
    package let host: String

    /// - Returns: `nil` if the text is not a URL with https, or with http and a host of this machine.
    package init?(_ text: String) {
        guard text.utf8.count <= 500, let url = PublicURL(text), url.isSecure || url.isLoopback else {
            return nil
        }
        (self.text, host) = (text, url.authority)
    }
}

/// The name of a header field.
enum HeaderFieldName {
    /// Fields that have another meaning, so that their value is not a person's name.
    private static let taken: Set<String> = [
        "authorization", "connection", "content-length", "content-type", "cookie", "forwarded", "host",
        "origin", "transfer-encoding", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    ]

    static func canNameAPerson(_ text: String) -> Bool {
        let isToken = text.utf8.allSatisfy { byte in
            0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 || "-_".utf8.contains(byte)
        }
        return isToken && (1...60).contains(text.utf8.count) && !taken.contains(text.lowercased())
    }
}
