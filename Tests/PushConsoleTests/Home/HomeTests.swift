import PushAPI
import PushConsole
import PushModel
import PushWire
import Testing

@Suite struct HomeTests {
    private func submit(_ label: String, at start: String, _ fixture: DeliveryFixture) throws {
        let document = """
            {"label": "\(label)", "service": "shop", "target": {"all": true}, "content": {"title": "Hello"},
            "schedule": {"startAt": "\(start)"}}
            """
        _ = try fixture.operations.carryOut(
            SubmitDelivery(document: Array(document.utf8), documentName: ""))
    }

    @Test func `a scheduled delivery has its start, however many were submitted after it`() throws {
        let fixture = try DeliveryFixture()
        try submit("in a week", at: "2026-11-28T12:00:00Z", fixture)
        try submit("tomorrow", at: "2026-11-22T09:00:00Z", fixture)
        for number in 1...101 {
            try fixture.accept(try fixture.submit("ended \(number)"))
        }
        let page = try fixture.browser.get("/").text
        #expect(page.contains("0 running, 2 scheduled, 0 need you"))
        #expect(page.contains("in a week") && page.contains("in 7 days"))
        #expect(page.contains("Tomorrow, 09:00") && page.contains("in 21 h"))
        let order = page.ranges(of: />(tomorrow|in a week)</).map { page[$0] }
        #expect(order == [">tomorrow<", ">in a week<"])
        #expect(page.contains(">ended 101<") && !page.contains(">ended 1<"))
    }

    @Test func `one of each has the singular, and an alarm has its next step`() throws {
        let fixture = try OperatorFixture()
        var status = OperatorFixture.status()
        status.alarms = [MasterStatus.Alarm(kind: "disk", about: "", cause: "it is full", seconds: 5)]
        fixture.engine.run(status)
        let page = try fixture.get("/").text
        #expect(page.contains("0 running, 0 scheduled, 1 needs you"))
        #expect(page.contains("it is full") && page.matches(of: /href="\/console\/alarms"/).count == 2)
        fixture.browser.language = "de"
        #expect(try fixture.get("/").text.contains("1 mit Handlungsbedarf"))
    }

    @Test func `a marketer sees paused deliveries, which need a decision, and the newest drafts`() throws {
        let fixture = try DeliveryFixture(.marketer)
        let id = try fixture.submit("Spring sale")
        #expect(try !fixture.browser.get("/").text.contains("waits for a decision"))
        #expect(try fixture.browser.post("/deliveries/\(id)/pause").status == 303)
        for number in 1...6 {
            let draft: JSONValue = ["label": .string("draft <\(number)>"), "service": .string("shop")]
            _ = try fixture.operations.carryOut(SaveDraft(draft, basedOn: nil))
        }
        let page = try fixture.browser.get("/").text
        #expect(page.contains("1 needs you") && page.contains("waits for a decision"))
        #expect(page.contains("The delivery is paused. Its validity continues to elapse."))
        #expect(page.contains("draft &lt;6&gt;") && page.contains("draft &lt;2&gt;"))
        #expect(!page.contains("draft &lt;1&gt;") && page.contains("Show all drafts"))
        let viewer = try fixture.console.browser(of: "vera", .viewer)
        let seen = try viewer.get("/").text
        #expect(seen.contains("0 need you") && !seen.contains("draft &lt;6&gt;"))
    }

    @Test func `open pages share what was read within a second, and a whole page is always new`() throws {
        let fixture = try DeliveryFixture()
        var live = try fixture.browser.request(.get, "/home/live")
        live.isFragment = true
        #expect(!fixture.browser.send(live).text.contains("Spring sale"))
        _ = try fixture.submit()
        #expect(!fixture.browser.send(live).text.contains("Spring sale"))
        #expect(try fixture.browser.get("/").text.contains("Spring sale"))
        #expect(fixture.browser.send(live).text.contains("Spring sale"))
        _ = try fixture.submit("Summer sale")
        #expect(!fixture.browser.send(live).text.contains("Summer sale"))
        fixture.console.advance(minutes: 1)
        #expect(fixture.browser.send(live).text.contains("Summer sale"))
    }

    @Test func `a person who is bound to services never receives what another person has read`() throws {
        let fixture = try AudienceFixture(.viewer, services: ["other"])
        try fixture.add("anna", 1)
        let document = """
            {"label": "Of the shop", "service": "shop", "target": {"all": true}, "content": {"title": "Hello"}}
            """
        _ = try fixture.operations.carryOut(
            SubmitDelivery(document: Array(document.utf8), documentName: ""))
        let other = try fixture.console.browser(of: "vera", .viewer)
        for (browser, isShown) in [(other, true), (fixture.browser, false), (other, true)] {
            var live = try browser.request(.get, "/home/live")
            live.isFragment = true
            #expect(browser.send(live).text.contains("Of the shop") == isShown)
        }
    }

    @Test func `answers that take long do not occupy the threads of pages`() throws {
        let fixture = try ConsoleFixture()
        let browser = Browser(fixture)
        func work(_ method: ConsoleRequest.Method, _ address: String) throws -> Console.Work {
            fixture.console.work(of: try browser.request(method, address))
        }
        for (method, address) in [
            (ConsoleRequest.Method.post, "/apps/of/shop/test"), (.post, "/drafts/1/audience/count"),
            (.get, "/drafts/1/review?count=1"), (.get, "/services/of/shop/subscriptions"),
            (.get, "/deliveries/1/csv/file"),
        ] {
            #expect(try work(method, address) == .lengthy, "\(address)")
        }
        for address in ["/", "/home/live", "/drafts/1/review", "/deliveries/1/live", "/nothing"] {
            #expect(try work(.get, address) == .page, "\(address)")
        }
        #expect(try work(.post, "/sign-in") == .password)
        #expect(try work(.get, "/sign-in") == .page)
    }
}
