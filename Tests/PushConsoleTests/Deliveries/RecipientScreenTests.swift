import PushAPI
import PushConsole
import PushModel
import Testing

@Suite struct RecipientScreenTests {
    @Test func `recipients are listed, found by user key, and shown without their tokens`() throws {
        let fixture = try DeliveryFixture(subscribers: 60)
        let id = try fixture.submit()
        #expect(
            try fixture.browser.get("/deliveries/\(id)/recipients").text.contains("No message is prepared"))
        try fixture.accept(id)
        let first = try fixture.browser.get("/deliveries/\(id)/recipients").text
        #expect(first.contains(">user1<") && !first.contains(DeliveryFixture.token(1)))
        #expect(first.contains("href=\"/console/subscribers/person?key=user1\""))
        let next = try #require(first.firstMatch(of: /rel="next" href="\/console([^"]+)"/)).output.1
        #expect(try fixture.browser.get(String(next)).status == 200)
        let found = try fixture.browser.get("/deliveries/\(id)/recipients?q=user7").text
        #expect(found.contains(">user7<") && !found.contains(">user8<"))
        let byToken = try fixture.browser.get(
            "/deliveries/\(id)/recipients?q=\(DeliveryFixture.token(7))"
        ).text
        #expect(byToken.contains(">user7<") && !byToken.contains(">user8<"))
        let none = try fixture.browser.get("/deliveries/\(id)/recipients?q=nobody").text
        #expect(none.contains("No message to this user key or token"))
    }

    @Test func `the file has each message, with shortened tokens`() throws {
        let fixture = try DeliveryFixture(subscribers: 3)
        let id = try fixture.submit()
        try fixture.accept(id)
        let page = try fixture.browser.get("/deliveries/\(id)/csv")
        #expect(page.status == 303)
        let file = try fixture.browser.get("/deliveries/\(id)/csv/file")
        #expect(file.value(of: "content-type") == "text/csv; charset=utf-8")
        #expect(file.value(of: "content-disposition")?.contains("delivery-\(id).csv") == true)
        #expect(file.text.split(separator: "\n").count == 4)
        #expect(file.text.contains(",user3,") && !file.text.contains(DeliveryFixture.token(3)))
    }

    @Test func `devices are counted by language and system`() throws {
        let fixture = try DeliveryFixture()
        let id = try fixture.submit()
        try fixture.accept(id)
        let page = try fixture.browser.get("/deliveries/\(id)/devices").text
        #expect(page.contains("data-load=\"/console/deliveries/\(id)/devices/count\""))
        // Without script, a link leads to the page with the count.
        for counted in ["/deliveries/\(id)/devices/count", "/deliveries/\(id)/devices?count=1"] {
            let text = try fixture.browser.get(counted).text
            #expect(text.contains("By language") && text.contains("not reported"), "\(counted)")
        }
    }

    @Test func `the content has a preview and all its options`() throws {
        let fixture = try DeliveryFixture()
        let id = try fixture.submit()
        let page = try fixture.browser.get("/deliveries/\(id)/content").text
        #expect(page.contains("<strong>20% off</strong>") && page.contains("collapseId"))
    }

    @Test func `a recall keeps what was typed if it is refused, and otherwise leads to the replacement`()
        throws
    {
        let fixture = try DeliveryFixture(.marketer)
        let id = try fixture.submit()
        try fixture.accept(id)
        let page = try fixture.browser.get("/deliveries/\(id)/recall").text
        #expect(page.contains("value=\"20% off\""))
        let refused = try fixture.browser.post(
            "/deliveries/\(id)/recall", ["title": "{{", "body": "typed <body>"])
        #expect(refused.status == 422 && refused.text.contains("typed &lt;body&gt;"))
        let fields = ["title": "10% off", "body": "Sorry", "_key": try DeliveryFixture.key(in: page)]
        let answer = try fixture.browser.post("/deliveries/\(id)/recall", fields)
        #expect(answer.status == 303)
        let place = try #require(answer.value(of: "location"))
        #expect(place != "/console/deliveries/\(id)")
        // The same form again has no further effect.
        #expect(try fixture.browser.post("/deliveries/\(id)/recall", fields).value(of: "location") == place)
    }

    @Test func `deliveries are compared side by side`() throws {
        let fixture = try DeliveryFixture(.viewer)
        #expect(try fixture.browser.get("/compare").text.contains("There is nothing to compare yet"))
        let ids = try ["first", "second"].map { try fixture.submit($0) }
        for id in ids { try fixture.accept(id) }
        try fixture.click(ids[1])
        let choice = try fixture.browser.get("/compare").text
        #expect(choice.contains("type=\"checkbox\" name=\"delivery\" value=\"\(ids[0])\""))
        let one = try fixture.browser.get("/compare?delivery=\(ids[0])").text
        #expect(one.contains("Choose at least two deliveries.") && one.contains(" checked"))
        let both = try fixture.browser.get("/compare?delivery=\(ids[0])&delivery=\(ids[1])").text
        #expect(both.contains("Comparison") && both.contains("33.3% of sent") && both.contains("the highest"))
        #expect(both.matches(of: try Regex("href=\"/console/deliveries/\(ids[0])\"")).count == 1)
        #expect(try fixture.browser.get("/compare?q=&compare=on").text.contains("Choose at least two"))
        #expect(!choice.contains("Choose at least two"))
        let many = (1...9).map { "delivery=\($0)" }.joined(separator: "&")
        #expect(try fixture.browser.get("/compare?\(many)").status == 200)
        #expect(try fixture.browser.get("/compare?delivery=x&delivery=-1").status == 200)
    }
}
