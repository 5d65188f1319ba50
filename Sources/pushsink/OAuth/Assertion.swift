internal import CSinkShims
internal import FoundationEssentials

/// Whether a JWT entitles to an access token: Google's rules for service accounts, read from its
/// documentation.
package final class Assertion {
    /// What an OAuth endpoint says no with.
    package struct Fault: Error, Equatable {
        package var error: String
        package var description: String

        package init(_ error: String, _ description: String) {
            self.error = error
            self.description = description
        }
    }

    package static let scopes = [
        "https://www.googleapis.com/auth/firebase.messaging",
        "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// "A maximum of 1 hour after the issued time".
    private static let mostSeconds = 3600
    /// Google says nothing of clocks that are ahead; a minute is what two well-kept ones may differ.
    private static let skew = 60

    private let account: ServiceAccount
    private let key: OpaquePointer

    /// Nil: the account's private key is none.
    package init?(account: ServiceAccount) {
        let text = Array(account.privateKey.utf8CString)
        guard let key = push_sink_key_parse(text, text.count - 1) else { return nil }
        self.account = account
        self.key = key
    }

    deinit { push_sink_key_free(key) }

    private struct Head: Decodable { let alg: String, kid: String? }
    private struct Claims: Decodable { let iss: String, scope: String, aud: String, iat: Double, exp: Double }

    /// `audiences`: the names that this endpoint goes by. `now`: seconds since 1970.
    package func check(_ text: some Collection<UInt8>, audiences: [String], at now: Int) throws(Fault) {
        let parts = Array(text).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.count <= 8192, parts.count == 3, let head = Base64URL.decode(parts[0]),
            let claims = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let named = try? JSONDecoder().decode(Head.self, from: Data(head))
        else { throw Fault("invalid_grant", "Bad Request: the assertion is no JWT") }
        guard named.alg == "RS256", named.kid == nil || named.kid == account.privateKeyID else {
            throw Fault("invalid_grant", "Invalid JWT Signature.")
        }
        let signed = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        guard push_sink_key_verifies_rs256(key, signed, signed.count, signature, signature.count) else {
            throw Fault("invalid_grant", "Invalid JWT Signature.")
        }
        guard let said = try? JSONDecoder().decode(Claims.self, from: Data(claims)) else {
            throw Fault("invalid_grant", "Invalid JWT: a required claim is missing")
        }
        guard said.iss == account.clientEmail else {
            throw Fault("invalid_grant", "Invalid grant: account not found")
        }
        guard audiences.contains(said.aud) else {
            throw Fault("invalid_grant", "Invalid JWT: Failed audience check")
        }
        let asked = said.scope.split(separator: " ").map(String.init)
        guard !asked.isEmpty, asked.contains(where: Self.scopes.contains) else {
            throw Fault("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        }
        guard said.exp - said.iat <= Double(Self.mostSeconds), said.exp > Double(now), said.iat < said.exp,
            said.iat <= Double(now + Self.skew)
        else {
            throw Fault(
                "invalid_grant",
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
                    + "timeframe. Check your iat and exp values in the JWT claim.")
        }
    }

    /// A fresh assertion as a provider would make it: for the sink's own tests, which must not borrow the
    /// engine's.
    package func mint(_ claims: String, algorithm: String = "RS256", keyID: String? = nil) -> String {
        let id = keyID ?? account.privateKeyID
        let head = #"{"alg":"\#(algorithm)","typ":"JWT","kid":"\#(id)"}"#
        let signed = Base64URL.encode(Array(head.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        var signature = [UInt8](repeating: 0, count: 1024)
        let bytes = Array(signed.utf8)
        let count = push_sink_key_sign_rs256(key, bytes, bytes.count, &signature, signature.count)
        return signed + "." + Base64URL.encode(Array(signature[..<count]))
    }
}
