import PushAPI
import PushConsole
import PushModel
import TestSupport
import Testing

/// Tests of signing in with a provider, which answers on a real socket.
@Suite struct OpenIDTests {
    @Test func `a person signs in with a provider, and returns to the page that was asked for`() throws {
        let stage = try ProviderStage()
        try stage.fixture.addPerson("mara", .marketer)
        let browser = stage.browser
        let planted = String(repeating: "a", count: 43)
        browser.cookies["__Host-pushmta"] = planted
        let page = try browser.get("/sign-in?next=%2Faccount").text
        #expect(page.contains("Sign in with \u{2068}Shop &lt;login&gt;\u{2069}"))
        #expect(page.contains("href=\"/console/sign-in/openid?next=%2Faccount\""))
        let left = try browser.get("/sign-in/openid?next=%2Faccount")
        let cookie = try #require(left.value(of: "set-cookie"))
        #expect(cookie.hasPrefix("__Host-pushmta-openid="))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure"))
        let answer = try stage.signIn("Mara", "/sign-in/openid?next=%2Faccount")
        #expect(answer.status == 303 && answer.value(of: "location") == "/console/account")
        // The session is new, and the cookie of the attempt is gone.
        #expect(browser.cookies["__Host-pushmta"] != planted)
        #expect(browser.cookies["__Host-pushmta-openid"] == nil)
        let account = try browser.get("/account")
        #expect(account.status == 200 && account.text.contains("<bdi>mara</bdi>"))
        let line = "person mara session.begin from 192.0.2.7 with OpenID Connect"
        #expect(try stage.fixture.audit.contains(line))
        #expect(stage.provider.faults.isEmpty)
        #expect(try browser.post("/sign-out").value(of: "location") == "/console/sign-in")
        #expect(try browser.get("/account").status == 303)
        // Endpoints and keys are remembered.
        #expect(try stage.signIn().status == 303)
        let reads = stage.provider.asked.filter { $0 != "/token" }
        #expect(reads == ["/.well-known/openid-configuration", "/keys"])
    }

    @Test func `a public client, another claim and another algorithm`() throws {
        let stage = try ProviderStage("nameClaim='email'", hasSecret: false)
        try stage.fixture.addPerson("mara@shop.example", .viewer)
        stage.provider.change { $0.algorithm = "ES256" }
        let more: [String: String?] = ["email": "\"mara@shop.example\"", "email_verified": "true"]
        #expect(try stage.signIn("x", "/sign-in/openid", more).value(of: "location") == "/console/")
        let unverified = try stage.signIn("x", "/sign-in/openid", ["email": "\"mara@shop.example\""])
        #expect(unverified.status == 403 && unverified.text.contains("in the claim email"))
        #expect(stage.provider.faults.isEmpty)
    }

    @Test func `without a provider, nothing changes`() throws {
        let browser = Browser(try ConsoleFixture())
        #expect(try !browser.get("/sign-in").text.contains("openid"))
        for path in ["/sign-in/openid", "/sign-in/openid/callback?code=a&state=b"] {
            let answer = try browser.get(path)
            let location = answer.value(of: "location")
            #expect(answer.status == 303 && location?.hasPrefix("/console/sign-in") == true)
        }
    }

    @Test func `an unknown person is refused, and no session begins`() throws {
        let stage = try ProviderStage()
        let answer = try stage.signIn("<b>nobody</b>")
        #expect(answer.status == 403 && answer.text.contains("&lt;b&gt;nobody&lt;/b&gt;"))
        #expect(answer.text.contains("Ask an admin to create this person"))
        #expect(stage.browser.cookies["__Host-pushmta"] == nil)
        #expect(try stage.signIn("nobody").status == 403)
        #expect(try stage.fixture.operations.carryOut(ListPeople()).isEmpty)
    }

    @Test func `an answer of the provider counts once, and only in the browser that left`() throws {
        let stage = try ProviderStage()
        try stage.fixture.addPerson("mara", .viewer)
        let claims: [String: String?] = ["preferred_username": "\"mara\""]
        let query = try stage.provider.signIn(at: try stage.leave(), claims)
        let cookie = try #require(stage.browser.cookies["__Host-pushmta-openid"])
        // Another browser has no cookie, or that of its own attempt.
        let other = Browser(stage.fixture)
        func isRefused(_ query: String, _ browser: Browser) throws -> Bool {
            let answer = try browser.get("/sign-in/openid/callback?\(query)")
            return answer.status == 400 && answer.text.contains("began in another browser")
                && browser.cookies["__Host-pushmta"] == nil
        }
        #expect(try isRefused(query, other))
        _ = try stage.leave(by: other)
        #expect(try isRefused(query, other))
        for wrong in ["", "code=a", "state=b&code=a", query.replacing("state=", with: "state=x")] {
            stage.browser.cookies["__Host-pushmta-openid"] = cookie
            #expect(try isRefused(wrong, stage.browser), "\(wrong)")
        }
        #expect(stage.provider.asked.allSatisfy { $0 != "/token" })
        stage.browser.cookies["__Host-pushmta-openid"] = cookie
        #expect(try stage.browser.get("/sign-in/openid/callback?\(query)").status == 303)
        // The browser sends the same answer, and even the same cookie, again.
        stage.browser.cookies = ["__Host-pushmta-openid": cookie]
        #expect(try isRefused(query, stage.browser))
        // A changed cookie, and one that has expired.
        let late = try stage.provider.signIn(at: try stage.leave(), claims)
        let good = try #require(stage.browser.cookies["__Host-pushmta-openid"])
        let letter = good.last == "A" ? "B" : "A"
        stage.browser.cookies["__Host-pushmta-openid"] = good.dropLast() + letter
        #expect(try isRefused(late, stage.browser))
        stage.browser.cookies["__Host-pushmta-openid"] = good
        stage.fixture.advance(minutes: 10)
        #expect(try isRefused(late, stage.browser))
    }

    @Test func `the provider's errors are shown as text`() throws {
        let stage = try ProviderStage()
        let state = try #require(try stage.leave().firstMatch(of: /state=([^&]+)/)).output.1
        let issuer = stage.provider.issuer.replacing(":", with: "%3A")
        let answer = try stage.browser.get(
            "/sign-in/openid/callback?error=access_denied&state=\(state)&iss=\(issuer)"
                + "&error_description=%3Cscript%3Ealert(1)%3C/script%3E\(String(repeating: "x", count: 900))")
        #expect(answer.status == 403 && answer.text.contains("reports an error"))
        #expect(answer.text.contains("access_denied: &lt;script&gt;alert(1)&lt;/script&gt;x"))
        #expect(!answer.text.contains(String(repeating: "x", count: 400)))
    }

    @Test func `an answer from another issuer, or without an issuer, is refused`() throws {
        let stage = try ProviderStage()
        try stage.fixture.addPerson("mara", .viewer)
        let claims: [String: String?] = ["preferred_username": "\"mara\""]
        for change in ["&iss=https%3A%2F%2Fother.example", ""] {
            let query = try stage.provider.signIn(at: try stage.leave(), claims)
            let stripped = query.replacing(/&iss=.*/, with: "")
            let answer = try stage.browser.get("/sign-in/openid/callback?\(stripped)\(change)")
            #expect(answer.status == 403 && answer.text.contains("from another issuer"), "\(change)")
        }
        #expect(!stage.provider.asked.contains("/token"))
    }

    @Test func `a token that is not for this attempt is refused with its reason`() throws {
        let stage = try ProviderStage()
        try stage.fixture.addPerson("mara", .viewer)
        for (claims, why) in [
            (["nonce": "\"other\""], "another attempt"), (["aud": "\"other\""], "for another client"),
            (["iss": "\"https://other.example\""], "from another issuer"), (["exp": "1"], "has expired"),
        ] as [([String: String?], String)] {
            let answer = try stage.signIn("mara", "/sign-in/openid", claims)
            #expect(answer.status == 403 && answer.text.contains(why), "\(why)")
            #expect(stage.browser.cookies["__Host-pushmta"] == nil)
        }
    }

    @Test func `a new key of the provider is read, but not at each token`() throws {
        let stage = try ProviderStage()
        try stage.fixture.addPerson("mara", .viewer)
        #expect(try stage.signIn().status == 303)
        stage.provider.change { $0.keyID = "second" }
        #expect(try stage.signIn().text.contains("does not publish"))
        stage.fixture.advance(minutes: 2)
        #expect(try stage.signIn().status == 303)
        stage.provider.change { ($0.keyID, $0.keys) = ("third", "{\"keys\":[]}") }
        stage.fixture.advance(minutes: 2)
        for _ in 0..<3 { #expect(try stage.signIn().text.contains("does not publish")) }
        #expect(stage.provider.asked.count { $0 == "/keys" } == 3)
    }

    @Test func `a provider that fails is reported without details`() throws {
        let stage = try ProviderStage()
        try stage.fixture.addPerson("mara", .viewer)
        func isUnavailable(_ answer: ConsoleAnswer) -> Bool {
            answer.status == 503 && answer.text.contains("log has the reason")
        }
        let configuration = "/.well-known/openid-configuration"
        let redirect = HTTPReceiver.Reply.status(302, headers: ["Location: /keys"])
        let large = HTTPReceiver.Reply.status(200, body: String(repeating: " ", count: 70_000))
        for reply in [.status(500), .close, .status(200, body: "[]"), redirect, large, .breakOff(200)] {
            stage.provider.change { $0.answers[configuration] = reply }
            #expect(isUnavailable(try stage.browser.get("/sign-in/openid")))
            // The provider is not asked again at once.
            let count = stage.provider.asked.count
            #expect(isUnavailable(try stage.browser.get("/sign-in/openid")))
            #expect(stage.provider.asked.count == count)
            stage.fixture.advance(minutes: 1)
        }
        stage.provider.change { ($0.answers, $0.metadata) = ([:], ["issuer": "\"https://other.example\""]) }
        #expect(isUnavailable(try stage.browser.get("/sign-in/openid")))
        stage.fixture.advance(minutes: 1)
        stage.provider.change { $0.metadata = [:] }
        for reply in [.status(500), .close, .status(200, body: "{}"), large] as [HTTPReceiver.Reply] {
            stage.provider.change { $0.answers["/token"] = reply }
            #expect(isUnavailable(try stage.signIn()))
        }
        stage.provider.stop()
        stage.fixture.advance(minutes: 61)
        #expect(isUnavailable(try stage.browser.get("/sign-in/openid")))
        // A password still works.
        #expect(try stage.browser.signIn("mara").status == 303)
    }

    @Test func `a secret that is wrong or readable by others is refused`() throws {
        let wrong = try ProviderStage(secret: "wrong")
        #expect(try wrong.signIn().status == 503 && wrong.provider.faults == ["wrong credentials"])
        let missing = try ProviderStage("clientSecretFile='none.secret'")
        let answer = try missing.signIn()
        #expect(answer.status == 503 && !answer.text.contains("none.secret"))
        #expect(!missing.provider.asked.contains("/token"))
    }

    @Test(arguments: ["https://evil.example/", "//evil.example/", "/\\evil.example", "/%2e%2E/api"])
    func `signing in with a provider does not lead out of the console`(next: String) throws {
        let stage = try ProviderStage()
        try stage.fixture.addPerson("mara", .viewer)
        var letters = ""
        for byte in next.utf8 { letters += "%" + String(byte, radix: 16) }
        let answer = try stage.signIn("mara", "/sign-in/openid?next=\(letters)")
        #expect(answer.value(of: "location") == "/console/")
    }
}
