internal import CSinkShims

/// Checks whether a JWT entitles its sender to an access token. The rules are those that Google documents for
/// service accounts.
package final class Assertion {
    /// The error with which an OAuth endpoint rejects a request.
    package struct Fault: Error, Equatable {
        package var error: String
        var description: String
    }

    package static let scopes = [
        "https://www.googleapis.com/auth/firebase.messaging",
        "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// "A maximum of 1 hour after the issued time".
    private static let maxSeconds = 3600
    /// The tolerance for clocks that are ahead, in seconds. Google does not mention such clocks, but two
    /// well-maintained clocks may differ by a minute.
    private static let skew = 60

    package let account: ServiceAccount
    package let key: OpaquePointer

    /// Returns `nil` if the account's private key is not valid.
    package init?(account: ServiceAccount) {
        guard let key = push_sink_key_parse(account.privateKey) else { return nil }
        self.account = account
        self.key = key
    }

    deinit { push_sink_key_free(key) }

    private struct Claims: Decodable { let iss: String, scope: String, aud: String, iat: Double, exp: Double }

    /// Checks an assertion. `audiences` are the names of this endpoint, and `now` is in seconds since 1970.
    package func check(_ text: some Collection<UInt8>, audiences: [String], at now: Int) throws(Fault) {
        guard let token = JSONWebToken<Claims>(text, atMost: 8192) else {
            throw Fault(error: "invalid_grant", description: "Bad Request: the assertion is not a JWT")
        }
        guard token.head.alg == "RS256", [nil, account.privateKeyID].contains(token.head.kid),
            push_sink_key_verifies_rs256(
                key, token.signed, token.signed.count, token.signature, token.signature.count)
        else { throw Fault(error: "invalid_grant", description: "Invalid JWT Signature.") }
        guard let said = token.claims else {
            throw Fault(error: "invalid_grant", description: "Invalid JWT: a required claim is missing")
        }
        func need(_ isGood: Bool, _ error: String, _ description: String) throws(Fault) {
            if !isGood { throw Fault(error: error, description: description) }
        }
        try need(said.iss == account.clientEmail, "invalid_grant", "Invalid grant: account not found")
        try need(audiences.contains(said.aud), "invalid_grant", "Invalid JWT: Failed audience check")
        try need(
            said.scope.split(separator: " ").map(String.init).contains(where: Self.scopes.contains),
            "invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        try need(
            said.exp - said.iat <= Double(Self.maxSeconds) && said.exp > Double(now) && said.iat < said.exp
                && said.iat <= Double(now + Self.skew),
            "invalid_grant",
            "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                + "Check your iat and exp values in the JWT claim.")
    }
}
