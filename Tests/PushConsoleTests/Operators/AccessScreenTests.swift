import PushAPI
import PushConsole
import PushModel
import PushStore
import Testing

@Suite struct AccessScreenTests {
    // MARK: Tokens

    @Test func `a token is shown once, and can be revoked`() throws {
        let fixture = try OperatorFixture(.operator)
        let answer = try fixture.post("/tokens/new", [("name", "crm"), ("scopes", "read")])
        let secret = try #require(answer.text.firstMatch(of: /pmta_[A-Za-z0-9_-]{43}/)).output
        #expect(answer.status == 200)
        let list = try fixture.get("/tokens").text
        #expect(list.contains("crm") && !list.contains(secret))
        #expect(try fixture.get("/tokens/crm/revoke").text.contains("Revoke the token"))
        #expect(try fixture.post("/tokens/crm/revoke").status == 303)
        #expect(try fixture.get("/tokens").text.contains("Revoked"))
        #expect(try fixture.get("/tokens/crm/revoke").status == 404)
    }

    @Test func `a token is bound to the chosen services, which the list shows`() throws {
        let fixture = try OperatorFixture(.operator)
        #expect(try fixture.get("/tokens/new").text.contains("name=\"services\" value=\"shop\""))
        let fields = [("scopes", "read"), ("services", "shop")]
        let refused = try fixture.post("/tokens/new", fields + [("name", "")])
        #expect(refused.status == 422 && refused.text.contains("value=\"shop\" checked"))
        let none = try fixture.post("/tokens/new", fields + [("name", "crm"), ("services", "other")])
        #expect(none.status == 422 && none.text.contains("other"))
        #expect(try fixture.post("/tokens/new", fields + [("name", "crm")]).status == 200)
        #expect(try fixture.post("/tokens/new", [("name", "all"), ("scopes", "read")]).status == 200)
        let tokens = try fixture.operations.carryOut(ListAccessTokens())
        #expect(tokens.first { $0.name == "crm" }?.services == ["shop"])
        #expect(tokens.contains { $0.name == "all" && $0.services == nil })
        let list = try fixture.get("/tokens").text
        #expect(list.contains("<bdi>shop</bdi>") && list.contains("<span>All</span>"))
        #expect(try fixture.get("/tokens/crm/revoke").text.contains("<bdi>shop</bdi>"))
    }

    @Test func `a token's form keeps what was typed, and the scope for people needs that scope`() throws {
        let fixture = try OperatorFixture(.operator)
        let answer = try fixture.post("/tokens/new", [("name", OperatorFixture.hostile)])
        #expect(answer.status == 422 && answer.text.contains("&lt;script&gt;alert(1)"))
        #expect(try !fixture.get("/tokens/new").text.contains("value=\"people\""))
        let more = try fixture.post("/tokens/new", [("name", "crm"), ("scopes", "people")])
        #expect(more.status == 422)
        #expect(try fixture.operations.carryOut(ListAccessTokens()).isEmpty)
    }

    @Test func `changes of tokens and people ask for the password again`() throws {
        let fixture = try OperatorFixture()
        fixture.console.advance(minutes: 11)
        for path in ["/tokens/new", "/people/new", "/people/mara/role", "/people/mara/reset"] {
            let answer = try fixture.post(path, [("name", "other")])
            #expect(answer.status == 403 && answer.text.contains("Confirm your password"), "\(path)")
        }
        #expect(try fixture.operations.carryOut(ListPeople()).count == 1)
    }

    // MARK: People

    @Test func `an admin creates a person, whose link is shown once and works`() throws {
        let fixture = try OperatorFixture()
        let answer = try fixture.post(
            "/people/new", [("name", "anna"), ("role", "marketer"), ("services", "shop")])
        let link = try #require(
            answer.text.firstMatch(of: /https:\/\/push\.example\/console(\/welcome\?key=[A-Za-z0-9_-]+)/))
        #expect(try !fixture.get("/people/anna").text.contains("welcome?key="))
        #expect(try fixture.get("/people").text.contains("Link not used yet"))
        let other = Browser(fixture.console)
        #expect(try other.get(String(link.output.1)).text.contains("anna"))
        #expect(
            try fixture.operations.carryOut(ListPeople()).first { $0.name == "anna" }?.services == ["shop"])
    }

    @Test func `a person's form keeps what was typed`() throws {
        let fixture = try OperatorFixture()
        let answer = try fixture.post(
            "/people/new", [("name", OperatorFixture.hostile), ("role", "operator")])
        #expect(answer.status == 422 && answer.text.contains("field-name-error"))
        #expect(answer.text.contains("&lt;script&gt;alert(1)"))
        #expect(answer.text.contains("value=\"operator\" selected"))
    }

    @Test func `a role is changed, a password is reset, and a person is removed`() throws {
        let fixture = try OperatorFixture()
        try fixture.console.addPerson("oskar", .viewer)
        let other = Browser(fixture.console)
        #expect(try other.signIn("oskar").status == 303)
        #expect(try fixture.post("/people/oskar/role", [("role", "operator")]).status == 303)
        #expect(try fixture.get("/people/oskar").text.contains("End all sessions"))
        #expect(try fixture.post("/people/oskar/sessions/end").status == 303)
        #expect(try other.get("/").status == 303)
        #expect(try fixture.get("/people/oskar/reset").text.contains("all sessions end"))
        #expect(try fixture.post("/people/oskar/reset").text.contains("/console/welcome?key="))
        #expect(try fixture.get("/people/oskar/remove").text.contains("Remove the person"))
        #expect(try fixture.post("/people/oskar/remove").status == 303)
        #expect(try fixture.get("/people/oskar").status == 404)
    }

    @Test func `the last admin stays an admin`() throws {
        let fixture = try OperatorFixture()
        let answer = try fixture.post("/people/mara/role", [("role", "viewer")])
        #expect(answer.status == 422 && answer.text.contains("last person"))
        #expect(try fixture.post("/people/mara/remove").status == 409)
    }

    // MARK: The own account

    @Test(arguments: Role.allCases)
    func `everyone changes the own password, which ends the other sessions`(role: Role) throws {
        let fixture = try OperatorFixture(role)
        let other = Browser(fixture.console)
        #expect(try other.signIn("mara").status == 303)
        let new = "another long pass phrase"
        func change(_ present: String, _ new: String, _ again: String) throws -> ConsoleAnswer {
            try fixture.post("/account/password", [("_password", present), ("new", new), ("again", again)])
        }
        #expect(try change(ConsoleFixture.password, new, new + "x").text.contains("two passwords differ"))
        #expect(try change("a wrong password", new, new).text.contains("The password is wrong"))
        #expect(try change(ConsoleFixture.password, "short", "short").text.contains("at least 12"))
        #expect(try change(ConsoleFixture.password, new, new).status == 303)
        #expect(try fixture.get("/account").text.contains("The password was changed"))
        #expect(try other.get("/").status == 303)
    }

    @Test func `everyone sees the own sessions and ends the others`() throws {
        let fixture = try OperatorFixture(.viewer)
        let other = Browser(fixture.console)
        #expect(try other.signIn("mara").status == 303)
        let text = try fixture.get("/account").text
        #expect(text.contains("This one") && text.contains("Another browser") && text.contains("192.0.2.7"))
        #expect(try fixture.post("/account/sessions/end").status == 303)
        #expect(try other.get("/").status == 303)
        #expect(try !fixture.get("/account").text.contains("Another browser"))
    }

    @Test func `language and time zone are kept, and an unknown zone is refused`() throws {
        let fixture = try OperatorFixture(.viewer)
        let wrong = try fixture.post("/account", [("language", "de"), ("zone", "Mars/Olympus")])
        #expect(wrong.status == 422 && wrong.text.contains("value=\"Mars/Olympus\""))
        #expect(try fixture.post("/account", [("language", "de"), ("zone", "UTC")]).status == 303)
        #expect(try fixture.get("/account").text.contains("Mein Konto"))
        #expect(fixture.browser.cookies["pushmta-zone"] == "UTC")
        _ = try fixture.post("/account", [("language", "en"), ("zone", "")])
        #expect(fixture.browser.cookies["pushmta-zone"] == nil)
    }

    // MARK: Webhooks

    @Test func `a webhook is created, changed, given a new secret, and deleted`() throws {
        let fixture = try OperatorFixture(.operator)
        #expect(try fixture.get("/webhooks").text.contains("There is no webhook yet"))
        let new = try fixture.post(
            "/webhooks/new",
            [("name", "crm"), ("url", "https://crm.example/push"), ("events", "failed"), ("service", "")])
        #expect(new.status == 200 && new.text.contains("shows the secret once"))
        #expect(try fixture.get("/webhooks").text.contains("https://crm.example/push"))
        let changes = [
            ("url", "https://crm.example/other"), ("events", "clicked"), ("events", "sent"),
            ("service", "shop"),
        ]
        #expect(try fixture.post("/webhooks/crm", changes).status == 303)
        let webhook = try #require(try fixture.operations.carryOut(ListWebhooks()).first)
        #expect(webhook.url.hasSuffix("/other") && webhook.service == "shop" && !webhook.enabled)
        #expect(Set(webhook.events.map(\.word)) == ["clicked", "sent"])
        #expect(try fixture.get("/webhooks/crm").text.contains("Switched off"))
        #expect(try fixture.get("/webhooks/crm/rotate-secret").text.contains("Change the secret"))
        let rotated = try fixture.post("/webhooks/crm/rotate-secret")
        #expect(rotated.text.contains("shows the secret once") && rotated.text.contains("previous secret"))
        // The same form again, such as after going back, changes nothing.
        let again = try fixture.post("/webhooks/crm/rotate-secret")
        #expect(again.status == 303 && !again.text.contains("secret"))
        #expect(try fixture.get("/webhooks/crm/delete").text.contains("Switch it off instead"))
        #expect(try fixture.post("/webhooks/crm/delete").status == 303)
        #expect(try fixture.get("/webhooks/crm").status == 404)
    }

    @Test func `a webhook's form keeps what was typed, and shows the error at its field`() throws {
        let fixture = try OperatorFixture(.operator)
        let answer = try fixture.post(
            "/webhooks/new", [("name", "crm"), ("url", "javascript:alert(1)"), ("events", "clicked")])
        #expect(answer.status == 422 && answer.text.contains("field-url-error"))
        #expect(
            answer.text.contains("value=\"javascript:alert(1)\"")
                && !answer.text.contains("href=\"javascript"))
        #expect(
            answer.text.contains("value=\"clicked\" checked")
                && !answer.text.contains("value=\"sent\" checked"))
        let none = try fixture.post("/webhooks/new", [("name", "crm"), ("url", "https://crm.example")])
        #expect(none.status == 422 && none.text.contains("field-events-error"))
    }

    // MARK: Audit

    @Test func `the audit trail has pages and can be filtered by object`() throws {
        let fixture = try OperatorFixture()
        for number in 1...120 {
            try fixture.operations.store.auditWriter.note(
                who: "crm", action: "app.update", what: number % 40 == 0 ? "rare-app" : "app \(number)",
                at: ConsoleFixture.start)
        }
        let first = try fixture.get("/audit").text
        #expect(first.matches(of: /<th scope="row">/).count == 50)
        let next = try #require(first.firstMatch(of: /href="\/console(\/audit\?cursor=\d+)"/)).output.1
        let second = try fixture.get(String(next)).text
        #expect(second.contains("app 70") && !second.contains("app 71<") && !second.contains("app 119<"))
        let rare = try fixture.get("/audit?q=RARE-app").text
        #expect(rare.matches(of: /<th scope="row">/).count == 3 && !rare.contains("rel=\"next\""))
        #expect(try fixture.get("/audit?q=nothing").text.contains("No line matches"))
        #expect(try fixture.get("/audit?q=service.create").text.contains("shop"))
    }
}
