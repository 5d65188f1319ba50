import PushAPI
import PushConsole
import PushModel
import Testing

/// What the pages of deliveries call things, and what they leave out.
@Suite struct DeliveryWordTests {
    @Test func `an empty list names the step that is missing, with a button if the role permits it`() throws {
        let steps: [(Role, String, String?)] = [
            (.operator, "Create the app first", "href=\"/console/apps/new\""),
            (.marketer, "Ask an operator to create one", nil),
        ]
        for (role, text, link) in steps {
            let page = try ConsoleFixture().browser(of: "mara", role).get("/deliveries").text
            #expect(page.contains(text), "\(role)")
            #expect(page.contains("href=\"/console/apps/new\"") == (link != nil), "\(role)")
        }
        let importer = try DeliveryFixture(.operator, subscribers: 0).browser.get("/deliveries").text
        #expect(importer.contains("Import subscribers, or wait") && importer.contains("Import a list"))
        let marketer = try DeliveryFixture(.marketer, subscribers: 0).browser.get("/deliveries").text
        #expect(marketer.contains("Ask an operator to import") && !marketer.contains("Import a list"))
        let ready = try DeliveryFixture(.marketer).browser.get("/deliveries").text
        #expect(ready.contains("There is no delivery yet") && !ready.contains("Create the app"))
        #expect(ready.matches(of: /href="\/console\/deliveries\/new"/).count == 2)
        let viewer = try DeliveryFixture(.viewer).browser.get("/deliveries").text
        #expect(viewer.contains("There is no delivery yet") && !viewer.contains("/deliveries/new"))
    }

    @Test func `the audience is described in the reader's language`() throws {
        let fixture = try DeliveryFixture()
        let all = try fixture.submit()
        let document = """
            {"label": "Two", "service": "shop", "content": {"title": "Hello"}, "target": {"userKeys":
            ["user1", "user2"], "exclude": {"userKeys": ["user3"]}, "oncePerUser": true}}
            """
        let two = try fixture.operations.carryOut(
            SubmitDelivery(document: Array(document.utf8), documentName: "")
        ).id
        #expect(try fixture.browser.get("/deliveries/\(all)").text.contains("<dd>Everyone</dd>"))
        #expect(try fixture.browser.get("/deliveries/\(two)").text.contains("<dd>2 user keys, without 1"))
        fixture.browser.language = "de"
        #expect(try fixture.browser.get("/deliveries/\(all)").text.contains("<dd>Alle</dd>"))
        let page = try fixture.browser.get("/deliveries/\(two)").text
        #expect(page.contains("2 Nutzerschlüssel, ohne 1 Nutzerschlüssel, ein Gerät pro Person"))
    }

    @Test func `a proof has its name in the reader's language, by which it is found`() throws {
        let fixture = try DeliveryFixture(.marketer)
        let document = #"{"label": "Spring sale", "service": "shop", "content": {"title": "20% off"}}"#
        _ = try fixture.operations.carryOut(
            ProofDelivery(document: Array(document.utf8), documentName: "", userKeys: ["user1"]))
        #expect(try fixture.browser.get("/deliveries").text.contains("Proof: Spring sale"))
        fixture.browser.language = "de"
        for address in ["/deliveries", "/deliveries?q=Probe%3A%20Spr", "/deliveries?q=proof", "/compare"] {
            #expect(try fixture.browser.get(address).text.contains("Probe: Spring sale"), "\(address)")
        }
    }

    @Test func `a delivery whose start has come is not scheduled any more`() throws {
        let fixture = try DeliveryFixture()
        let document = """
            {"label": "Later", "service": "shop", "target": {"all": true}, "content": {"title": "Hello"},
            "schedule": {"startAt": "2026-11-22T09:00:00Z", "validity": "30d"}}
            """
        let id = try fixture.operations.carryOut(
            SubmitDelivery(document: Array(document.utf8), documentName: "")
        ).id
        #expect(try fixture.browser.get("/deliveries/\(id)").text.contains(">Scheduled<"))
        fixture.console.advance(minutes: 3 * 1_440)
        _ = try fixture.browser.signIn("mara")
        let page = try fixture.browser.get("/deliveries/\(id)").text
        #expect(page.contains("Waits to start") && !page.contains(">Scheduled<"))
        #expect(!page.contains("days ago"))
        let home = try fixture.browser.get("/").text
        #expect(home.contains("Waits to start") && home.contains("Now") && !home.contains("days ago"))
    }

    @Test func `a delivery of less than a second has no rate, and a card without content is left out`() throws
    {
        let fixture = try DeliveryFixture()
        let id = try fixture.submit()
        try fixture.accept(id)
        let page = try fixture.browser.get("/deliveries/\(id)").text
        #expect(!page.contains("<dd>0 s") && !page.contains("Left out before sending"))
        if page.contains("Duration") { #expect(page.contains("&lt;1 s") && !page.contains("a second")) }
        // No device reported anything, so there is no line and no key for it.
        #expect(page.contains("class=\"key\">Sent<") && !page.contains("key-line"))
        try fixture.click(id)
        #expect(try fixture.browser.get("/deliveries/\(id)").text.contains("key-line"))
    }

    @Test func `the values of a text are marked`() throws {
        let fixture = try DeliveryFixture()
        let id = try fixture.submit(title: "Hello {{firstName|friend}}!")
        let page = try fixture.browser.get("/deliveries/\(id)/content").text
        #expect(page.contains("<code>firstName</code>, or else “friend”</span>!"))
        #expect(page.contains("Main text"))
    }

    @Test func `an error of the engine has a sentence in German before it`() throws {
        let fixture = try AudienceFixture()
        let address = "/subscribers?app=shop-ios&where=%7B"
        #expect(try !fixture.browser.get(address).text.contains("Nothing was changed:"))
        fixture.browser.language = "de"
        let page = try fixture.browser.get(address).text
        #expect(page.contains("Die Meldung auf Englisch:</b>") && page.contains("<li lang=\"en\">"))
        let field = try fixture.browser.post(
            "/services/new", ["name": "news", "label": "News", "frequencyCap": "often"]
        ).text
        #expect(field.contains("-error\"><span lang=\"en\">"))
    }
}
