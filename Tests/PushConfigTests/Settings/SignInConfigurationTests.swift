import PushConfig
import Testing

/// Tests of the settings for signing in to the console with a provider or through a proxy.
@Suite struct SignInConfigurationTests {
    private static func text(_ openID: String, web: String = "") -> String {
        "<serverConf><web \(web)><openId \(openID)/></web></serverConf>"
    }

    @Test func `a provider needs an issuer and a client id`() throws {
        let usual = ServerConfiguration().web
        #expect(usual.openID.issuer == nil && usual.personHeader == nil)
        let loaded = try parsed(
            Self.text(
                """
                issuer='https://login.example.com/realms/Shop/' clientId='console' \
                clientSecretFile='client.secret' nameClaim='email' label='the shop'
                """)
        ).get()
        let openID = loaded.settings.web.openID
        #expect(loaded.findings.isEmpty)
        // Providers compare the issuer character by character.
        #expect(openID.issuer?.text == "https://login.example.com/realms/Shop/")
        #expect(openID.clientID == "console" && openID.clientSecretFile == "/etc/push/client.secret")
        #expect(openID.nameClaim == .email && openID.scopes == "openid profile email")
        #expect(openID.shownLabel == "the shop")
        let other = try parsed(Self.text("issuer='http://127.0.0.1:8000' clientId='a'")).get()
        #expect(other.settings.web.openID.shownLabel == "127.0.0.1:8000")
    }

    @Test(arguments: [
        "issuer='http://login.example.com'", "issuer='login.example.com'", "issuer='ftp://a'",
        "issuer='https://user@a'", "issuer='https://a?b'", "issuer='https://a#b'", "issuer='https://'",
        "nameClaim='name'", "scopes='profile email'", "scopes='openid  email'", "scopes='openid \"'",
        "clientId='é'",
    ])
    func `a value that no provider accepts is refused`(attribute: String) {
        let others = attribute.hasPrefix("issuer") ? "clientId='a'" : "issuer='https://a' clientId='b'"
        let attributes = attribute.hasPrefix("clientId") ? "issuer='https://a'" : others
        #expect(refusal(of: Self.text("\(attributes) \(attribute)")) != nil, "\(attribute)")
    }

    @Test func `settings of a provider that contradict each other produce findings`() {
        expect(
            .error, "web/openId/@issuer: requires web/openId/@clientId",
            in: Self.text("issuer=\"‸https://a.example\""))
        for (attribute, value) in [
            ("clientId", "a"), ("clientSecretFile", "a"), ("nameClaim", "sub"), ("scopes", "openid"),
            ("label", "a"),
        ] {
            expect(
                .warning, "web/openId/@\(attribute): has no effect without web/openId/@issuer",
                in: Self.text("\(attribute)=\"‸\(value)\""))
        }
        expect(
            .warning,
            "web/openId/@nameClaim: email usually needs the scope email in web/openId/@scopes",
            in: Self.text(
                "issuer='https://a.example' clientId='a' nameClaim=\"‸email\" scopes='openid profile'"))
        expect(
            .warning, "web/openId/@issuer: has no effect without the console",
            in: Self.text("issuer=\"‸https://a.example\" clientId='a'", web: "console='false'"))
    }

    @Test func `a header field with people is accepted only with trusted proxies`() throws {
        let proxies = "trustedProxies='10.0.0.0/8'"
        let loaded = try parsed(document("web", "personHeader='X-Forwarded-User' \(proxies)")).get()
        #expect(loaded.settings.web.personHeader == "X-Forwarded-User" && loaded.findings.isEmpty)
        expect(
            .error, "web/@personHeader: has no effect without web/@trustedProxies",
            in: document("web", "personHeader=\"‸X-Forwarded-User\""))
        for name in [
            "Cookie", "x-forwarded-for", "X-Forwarded-Proto", "Host", "authorization", "X Y", "X:Y", "é",
            String(repeating: "x", count: 61),
        ] {
            #expect(refusal(of: document("web", "personHeader='\(name)' \(proxies)")) != nil, "\(name)")
        }
    }
}
