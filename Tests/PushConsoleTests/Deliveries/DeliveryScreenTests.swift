import PushAPI
import PushConsole
import PushModel
import Testing

@Suite struct DeliveryScreenTests {
    @Test func `the list is empty at first, and then has each delivery with its figures`() throws {
        let fixture = try DeliveryFixture()
        #expect(try fixture.browser.get("/deliveries").text.contains("There is no delivery yet"))
        let id = try fixture.submit()
        try fixture.accept(id)
        try fixture.click(id)
        let page = try fixture.browser.get("/deliveries").text
        #expect(page.contains("Spring sale") && page.contains("33.3%"))
        let other = try fixture.browser.get("/deliveries?q=Summer").text
        #expect(other.contains("No delivery matches") && other.contains("value=\"Summer\""))
        let state = try fixture.state(of: id).rawValue
        #expect(try fixture.browser.get("/deliveries?q=Spring&state=\(state)").text.contains("Spring sale"))
        #expect(try fixture.browser.get("/deliveries?state=paused").text.contains("No delivery matches"))
        #expect(try fixture.browser.get("/deliveries?cursor=nonsense").status == 400)
    }

    @Test func `a long list has pages`() throws {
        let fixture = try DeliveryFixture(subscribers: 0)
        for number in 1...51 { _ = try fixture.submit("sale \(number)") }
        let first = try fixture.browser.get("/deliveries").text
        #expect(first.contains(">sale 51<") && !first.contains(">sale 1<"))
        let next = try #require(first.firstMatch(of: /rel="next" href="\/console([^"]+)"/)).output.1
        #expect(try fixture.browser.get(String(next)).text.contains(">sale 1<"))
    }

    @Test func `a delivery's page has its funnel, its chart, its order and its actions`() throws {
        let fixture = try DeliveryFixture()
        let id = try fixture.submit()
        try fixture.accept(id)
        try fixture.click(id)
        let page = try fixture.browser.get("/deliveries/\(id)").text
        for text in [
            "Progress", "Funnel", "By minute", "What did not arrive", "Nothing has failed", "Clicked",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(page.contains("20% off: Until Sunday") && page.contains("shop-ios"))
        #expect(page.contains("data-refresh=\"/console/deliveries/\(id)/live\""))
        #expect(try page.contains("Stop…") == !fixture.state(of: id).isFinal)
        let live = try fixture.browser.get("/deliveries/\(id)/live").text
        #expect(live.contains("Funnel") && !live.contains("<html"))
        #expect(try fixture.browser.get("/deliveries/99").status == 404)
        #expect(try fixture.browser.get("/deliveries/x").status == 404)
    }

    @Test func `pages in German are in German`() throws {
        let fixture = try DeliveryFixture()
        fixture.browser.language = "de"
        let id = try fixture.submit()
        try fixture.accept(id)
        let page = try fixture.browser.get("/deliveries/\(id)").text
        #expect(
            page.contains("Trichter") && page.contains("Was nicht ankam") && page.contains("Wie eingereicht"))
        #expect(!page.contains("Funnel") && !page.contains("What did not arrive"))
    }

    @Test func `pause, resume and stop change the state, and stop asks first`() throws {
        let fixture = try DeliveryFixture(.marketer)
        let id = try fixture.submit()
        #expect(try fixture.browser.get("/deliveries/\(id)").text.contains("Stop…"))
        let paused = try fixture.browser.post("/deliveries/\(id)/pause")
        #expect(paused.status == 303 && paused.value(of: "location") == "/console/deliveries/\(id)")
        #expect(try fixture.state(of: id) == .paused)
        #expect(try fixture.browser.get("/deliveries/\(id)").text.contains("The delivery is paused."))
        #expect(try fixture.browser.post("/deliveries/\(id)/resume").status == 303)
        #expect(try fixture.state(of: id) != .paused)
        let question = try fixture.browser.get("/deliveries/\(id)/stop").text
        #expect(question.contains("Stop for good"))
        #expect(question.contains("formaction=\"/console/deliveries/\(id)/pause\""))
        #expect(try fixture.browser.post("/deliveries/\(id)/stop").status == 303)
        #expect([.stopping, .stopped].contains(try fixture.state(of: id)))
        #expect(try fixture.browser.get("/deliveries/\(id)/stop").status == 303)
        #expect(try fixture.browser.post("/deliveries/\(id)/pause").status != 303)
    }

    @Test func `failures state the cause, what to do, and a retry of each reason`() throws {
        let fixture = try DeliveryFixture()
        let id = try fixture.submit()
        try fixture.refuse(id, "SENDER_ID_MISMATCH: other sender")
        let page = try fixture.browser.get("/deliveries/\(id)").text
        #expect(page.contains("The token belongs to another Firebase project"))
        #expect(page.contains("/deliveries/\(id)/retry?reason=SENDER_ID_MISMATCH\""))
        let question = try fixture.browser.get("/deliveries/\(id)/retry?reason=SENDER_ID_MISMATCH").text
        #expect(question.contains("Retry 3</button>"))
        let answer = try fixture.browser.post(
            "/deliveries/\(id)/retry", ["reason": "SENDER_ID_MISMATCH"])
        let place = try #require(answer.value(of: "location"))
        #expect(place.hasPrefix("/console/deliveries/\(id)?job="))
        let shown = try fixture.browser.get(String(place.dropFirst("/console".count))).text
        #expect(shown.contains("data-announce=\"job\""))
    }

    @Test func `a viewer sees everything and can change nothing`() throws {
        let fixture = try DeliveryFixture(.viewer)
        let id = try fixture.submit()
        let page = try fixture.browser.get("/deliveries/\(id)").text
        for text in ["Pause", "Stop…", "Recall…", "copy="] { #expect(!page.contains(text), "\(text)") }
        for path in ["pause", "resume", "stop", "retry", "recall", "release", "recount"] {
            #expect(try fixture.browser.post("/deliveries/\(id)/\(path)").status == 403, "\(path)")
        }
    }

    @Test func `hostile names and contents stay texts on each page`() throws {
        let fixture = try DeliveryFixture()
        let hostile = DeliveryFixture.hostile
        let id = try fixture.submit(hostile, title: hostile)
        try fixture.refuse(id, "<script>alert(1)</script>")
        let below = [
            "", "/live", "/stop", "/retry", "/content", "/recipients", "/recall", "/devices",
        ]
        for path in ["/deliveries", "/compare", "/compare?delivery=\(id)"]
            + below.map({ "/deliveries/\(id)\($0)" })
        {
            let answer = try fixture.browser.get(path)
            #expect([200, 303].contains(answer.status), "\(path)")
            #expect(!answer.text.contains("<b onx") && !answer.text.contains("<script>"), "\(path)")
            // A delivery that has ended cannot be stopped.
            #expect(answer.status == 303 || answer.text.contains("&lt;b onx"), "\(path)")
        }
        let search = try fixture.browser.get("/deliveries?q=%3Cscript%3E%E2%80%AE").text
        #expect(!search.contains("<script>"))
    }
}
