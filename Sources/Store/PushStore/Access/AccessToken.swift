internal import PushCrypto
package import PushModel

/// A secret that authenticates a caller of the API. The store contains only the secret's digest.
///
/// The secret is 256 bits of the system's randomness. Therefore, its digest reveals nothing, even though the
/// digest is computed without salt and in a single round. The prefix lets programs that scan for leaked
/// secrets recognise a token.
package struct AccessToken: Sendable, CustomStringConvertible {
    package static let prefix = "pmta_"
    private static let secretBytes = 32
    /// The maximum length, in bytes, of a text that is looked up. A longer text is not a token.
    package static let maxBytes = 128

    package let text: String

    package init(text: String) { self.text = text }

    package static func make() -> AccessToken {
        AccessToken(text: prefix + Base64.text(of: SecureRandom.bytes(secretBytes), lastLetters: "-_"))
    }

    /// Reports whether the text has the form of the tokens that ``make()`` creates.
    package static func isToken(_ text: String) -> Bool {
        let secret = text.utf8.dropFirst(prefix.utf8.count)
        return text.hasPrefix(prefix) && secret.count == (secretBytes * 8 + 5) / 6
            && secret.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    var digest: [UInt8] { SHA256.digest(of: Array(text.utf8)) }

    /// A fixed text, because secrets are never printed.
    package var description: String { "a token" }
}

/// The information that the store has about a token.
package struct AccessGrant: Equatable, Sendable {
    package var name: String
    package var scopes: Set<AccessScope>
    package var created: WallMoment
    /// The time at which the token was revoked; `nil` if the token is valid.
    package var revoked: WallMoment?
}
