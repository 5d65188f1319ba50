import Testing
import pushsink

@Suite struct AssertionTests {
    private static let now = 1_795_000_000
    private static let audience = "https://localhost:1/token"

    private func claims(_ changes: [String: String] = [:], account: ServiceAccount) -> String {
        var claims = [
            "iss": #""\#(account.clientEmail)""#, "scope": #""\#(Assertion.scopes[0])""#,
            "aud": #""\#(Self.audience)""#, "iat": "\(Self.now)", "exp": "\(Self.now + 3600)",
        ]
        claims.merge(changes) { $1 }
        return "{" + claims.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
    }

    /// Returns the error; `nil` if the assertion is valid.
    private func error(_ text: String, _ assertion: Assertion, at seconds: Int = now) -> String? {
        do throws(Assertion.Fault) {
            try assertion.check(text.utf8, audiences: [Self.audience], at: seconds)
            return nil
        } catch {
            return error.error
        }
    }

    private func withAssertion(_ body: (Assertion, ServiceAccount) throws -> Void) throws {
        try withTemporarySet { set in
            let account = try set.serviceAccount()
            try body(try #require(Assertion(account: account)), account)
        }
    }

    @Test func `a new assertion for the account is valid until it expires`() throws {
        try withAssertion { assertion, account in
            let text = assertion.mint(claims(account: account))
            #expect(error(text, assertion) == nil)
            #expect(error(text, assertion, at: Self.now + 3599) == nil)
            #expect(error(text, assertion, at: Self.now + 3600) == "invalid_grant")
            #expect(error(text, assertion, at: Self.now - 60) == nil)
            #expect(error(text, assertion, at: Self.now - 61) == "invalid_grant")
            let cloud = claims(["scope": #""openid \#(Assertion.scopes[1])""#], account: account)
            #expect(error(assertion.mint(cloud), assertion) == nil)
        }
    }

    @Test func `each wrong claim is refused with its own error`() throws {
        try withAssertion { assertion, account in
            let table: [(String, String, String)] = [
                ("iss", #""other@example.com""#, "invalid_grant"), ("scope", #""openid""#, "invalid_scope"),
                ("scope", #""""#, "invalid_scope"), ("aud", #""https://elsewhere/token""#, "invalid_grant"),
                ("exp", "\(Self.now + 3601)", "invalid_grant"), ("exp", "\(Self.now)", "invalid_grant"),
                ("iat", "\(Self.now + 3600)", "invalid_grant"), ("iat", #""now""#, "invalid_grant"),
            ]
            for (name, value, expected) in table {
                let text = assertion.mint(claims([name: value], account: account))
                #expect(error(text, assertion) == expected, "\(name) \(value)")
            }
        }
    }

    @Test func `only an assertion that the account signed is accepted`() throws {
        try withAssertion { assertion, account in
            try withAssertion { stranger, _ in
                let text = claims(account: account)
                #expect(error(stranger.mint(text, keyID: account.privateKeyID), assertion) == "invalid_grant")
                #expect(error(assertion.mint(text, algorithm: "none"), assertion) == "invalid_grant")
                #expect(error(assertion.mint(text, keyID: "other"), assertion) == "invalid_grant")
                let good = assertion.mint(text)
                let altered = good.split(separator: ".").map(String.init)
                let otherClaims = Base64URL.encode(Array(claims(["x": "1"], account: account).utf8))
                #expect(error("\(altered[0]).\(otherClaims).\(altered[2])", assertion) == "invalid_grant")
                for bad in ["", ".", "..", "a.b", good + ".x", String(good.dropLast(8))] {
                    #expect(error(bad, assertion) == "invalid_grant", "\(bad)")
                }
            }
        }
    }

    @Test func `an invalid key prevents the creation of an endpoint`() {
        let account = ServiceAccount(
            projectID: "p", privateKey: "-----BEGIN", tokenURI: "https://localhost/token")
        #expect(Assertion(account: account) == nil)
    }
}
