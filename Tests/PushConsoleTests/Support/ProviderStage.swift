import PushConsole
import PushModel
import TestSupport
import Testing

/// A console with a provider of OpenID Connect, and a browser.
struct ProviderStage {
    let fixture: ConsoleFixture
    let provider: SyntheticProvider
    let browser: Browser

    /// - Parameter attributes: Attributes of `openId` in addition to the issuer and the client id.
    init(
        _ attributes: String = "clientSecretFile='client.secret' label='Shop &lt;login&gt;'",
        hasSecret: Bool = true, secret: String = SyntheticProvider.secret
    ) throws {
        let clock = TestClock()
        provider = try SyntheticProvider(hasSecret: hasSecret) { clock.moment.time.secondsSince1970 }
        let settings = """
            <web><openId issuer="\(provider.issuer)" clientId="\(SyntheticProvider.client)" \
            \(attributes)/></web>
            """
        fixture = try ConsoleFixture(
            settings: settings, files: ["client.secret": "\(secret)\n"], clock: clock)
        browser = Browser(fixture)
    }

    /// Lets a browser leave for the provider.
    func leave(_ path: String = "/sign-in/openid", by other: Browser? = nil) throws -> String {
        let answer = try (other ?? browser).get(path)
        #expect(answer.status == 303, "\(answer.text)")
        return try #require(answer.value(of: "location"))
    }

    /// A person signs in at the provider and comes back.
    /// - Parameter claims: Members of the ID token that replace the usual ones; `nil` removes a member.
    func signIn(
        _ name: String = "mara", _ path: String = "/sign-in/openid", _ claims: [String: String?] = [:]
    ) throws -> ConsoleAnswer {
        var claims = claims
        claims["preferred_username"] = "\"\(name)\""
        let query = try provider.signIn(at: try leave(path), claims)
        return try browser.get("/sign-in/openid/callback?\(query)")
    }
}
