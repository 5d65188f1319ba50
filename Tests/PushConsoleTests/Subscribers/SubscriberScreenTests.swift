import PushAPI
import PushConsole
import PushModel
import Testing

@Suite struct SubscriberScreenTests {
    @Test func `a person is found by user key, token and parameter`() throws {
        let fixture = try AudienceFixture()
        try fixture.add("anna", 1, parameters: #"{"city":"Rome"}"#)
        try fixture.add("ben", 2, parameters: #"{"city":"Paris"}"#)
        let browser = fixture.browser
        #expect(try browser.get("/subscribers").text.contains("Search for a subscriber"))
        for query in ["q=anna", "q=\(AudienceFixture.token(1))", "q=city%3DRome&service=shop"] {
            let text = try browser.get("/subscribers?\(query)").text
            #expect(text.contains("/console/subscribers/person?key=anna"), "\(query)")
            #expect(!text.contains("person?key=ben"), "\(query)")
        }
        #expect(try browser.get("/subscribers?q=nobody").text.contains("No subscriber matches"))
        let list = try browser.get("/subscribers?app=shop-ios&state=valid").text
        #expect(list.contains("key=anna") && list.contains("key=ben"))
        #expect(!list.contains(AudienceFixture.token(1)))
        let unclear = try browser.get("/subscribers?q=city%3DRome")
        #expect(unclear.status == 422 && unclear.text.contains("Choose a service or an app"))
        let wrong = try browser.get("/subscribers?app=shop-ios&where=%7B")
        #expect(wrong.status == 422 && wrong.text.contains("role=\"alert\""))
        #expect(try browser.get("/subscribers?app=nothing").status == 422)
    }

    @Test func `a device without a user key has a page, whose address contains no token`() async throws {
        let fixture = try AudienceFixture()
        try fixture.add("", 1, parameters: #"{"city":"Rome"}"#)
        try fixture.add("", 2, parameters: #"{"city":"Paris"}"#)
        try fixture.add("anna", 3, parameters: #"{"city":"Oslo"}"#)
        let browser = fixture.browser
        var pages: Set<Substring> = []
        for query in ["q=\(AudienceFixture.token(1))", "q=city%3DRome&service=shop", "app=shop-ios"] {
            let text = try browser.get("/subscribers?\(query)").text
            let found = text.firstMatch(of: /href="\/console(\/subscribers\/person\?device=\d+)"/)
            pages.insert(try #require(found, "\(query)").output.1)
            #expect(text.contains("No user key"), "\(query)")
        }
        #expect(pages.count == 1)
        let page = try #require(pages.first)
        let text = try browser.get(String(page)).text
        for part in ["Device without a user key", "On 1 of 1 device", "Rome", "No messages", "Erase…"] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains(AudienceFixture.token(1)) && !text.contains("Paris"))
        let number = try #require(page.split(separator: "=").last).description
        #expect(try browser.get("/subscribers/explain?device=\(number)").status == 200)
        let question = try browser.get("/subscribers/opt-out?device=\(number)").text
        #expect(question.contains("All deliveries leave out this device"))
        let answer = try browser.post("/subscribers/opt-out", ["device": number])
        #expect(answer.value(of: "location") == "/console/subscribers/person?device=\(number)")
        #expect(try browser.get(String(page)).text.contains("An opt-out is recorded"))
        #expect(try browser.post("/subscribers/opt-in", ["device": number]).status == 303)
        let erased = try browser.post("/subscribers/erase", ["device": number])
        let job = try #require(erased.value(of: "location")?.split(separator: "/").last.flatMap { Int64($0) })
        #expect(try await fixture.end(ofJob: job).errors.isEmpty)
        #expect(try browser.get(String(page)).status == 404)
        let others = try browser.get("/subscribers?app=shop-ios").text
        #expect(others.contains("key=anna") && others.contains("<bdi>Paris</bdi>"))
        #expect(!others.contains("<bdi>Rome</bdi>"))
        for wrong in ["0", "-1", "x", "9223372036854775807", "99999999999999999999"] {
            #expect(try browser.get("/subscribers/person?device=\(wrong)").status == 404, "\(wrong)")
        }
    }

    @Test func `a user key that looks like a parameter is found`() throws {
        let fixture = try AudienceFixture()
        try fixture.add("QW5uYQ==", 1, parameters: #"{"city":"Rome"}"#)
        let browser = fixture.browser
        for query in ["q=QW5uYQ%3D%3D", "q=city%3DRome&app=shop-ios"] {
            #expect(try browser.get("/subscribers?\(query)").text.contains("key=QW5uYQ%3D%3D"), "\(query)")
        }
    }

    @Test func `a list has pages of 50 devices`() throws {
        let fixture = try AudienceFixture()
        for number in 1...60 { try fixture.add("user\(number)", number) }
        let first = try fixture.browser.get("/subscribers?app=shop-ios").text
        let next = try #require(first.firstMatch(of: /rel="next" href="\/console([^"]+)"/)).output.1
        #expect(first.contains("key=user50") && !first.contains("key=user51"))
        let second = try fixture.browser.get(String(next).replacing("&amp;", with: "&")).text
        #expect(second.contains("key=user51") && second.contains("key=user60"))
        #expect(try fixture.browser.get("/subscribers?app=shop-ios&cursor=nonsense").status == 422)
    }

    @Test func `a search continues until it finds someone, and after some time asks whether to continue`()
        throws
    {
        let fixture = try AudienceFixture()
        for number in 1...119 { try fixture.add("user\(number)", number, parameters: #"{"city":"Paris"}"#) }
        try fixture.add("anna", 120, parameters: #"{"city":"Rome"}"#)
        let address = "/subscribers?q=city%3DRome&service=shop"
        let found = try fixture.browser.get(address).text
        #expect(found.contains("person?key=anna") && !found.contains("Continue the search"))
        // Each step of the search takes a second.
        fixture.console.slowDown()
        var page = try fixture.browser.get(address).text
        #expect(page.contains("None among the first 50 devices") && !page.contains("rel=\"next\""))
        for count in [100, nil] {
            let next = try #require(page.firstMatch(of: /href="\/console([^"]+searched=[0-9]+)"/)).output.1
            page = try fixture.browser.get(String(next).replacing("&amp;", with: "&")).text
            if let count { #expect(page.contains("None among the first \(count) devices")) }
        }
        #expect(page.contains("person?key=anna"))
        let odd = try fixture.browser.get("\(address)&searched=9223372036854775807&cursor=x")
        #expect(odd.status == 422)
    }

    @Test func `the page of a person shows devices and parameters without a token`() throws {
        let fixture = try AudienceFixture()
        try fixture.add("anna", 1, parameters: #"{"city":"Rome"}"#)
        let text = try fixture.browser.get("/subscribers/person?key=anna").text
        for part in ["Reachable", "On 1 of 1 device", "Rome", "No opt-outs", "Erase…"] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains(AudienceFixture.token(1)))
        let german = fixture.browser
        german.language = "de"
        #expect(try german.get("/subscribers/person?key=anna").text.contains("Erreichbar"))
        #expect(try fixture.browser.get("/subscribers/person").status == 404)
        #expect(try german.get("/subscribers/person?key=nobody").text.contains("Nicht registriert"))
    }

    @Test func `an opt-out is recorded and lifted`() throws {
        let fixture = try AudienceFixture()
        try fixture.add("anna", 1)
        let browser = fixture.browser
        let page = try browser.get("/subscribers/opt-out?key=anna").text
        #expect(page.contains("name=\"key\" value=\"anna\"") && page.contains("Opt out</button>"))
        let bad = try browser.post("/subscribers/opt-out", ["key": "anna", "reason": "anna asked <b>"])
        #expect(bad.status == 422 && bad.text.contains("value=\"anna asked &lt;b&gt;\""))
        let answer = try browser.post("/subscribers/opt-out", ["key": "anna", "reason": "e-mail"])
        #expect(answer.status == 303)
        #expect(answer.value(of: "location") == "/console/subscribers/person?key=anna")
        #expect(try fixture.state(of: "anna") == ["optedOut"])
        #expect(try browser.get("/subscribers/person?key=anna").text.contains("Lift the opt-out"))
        #expect(try browser.post("/subscribers/opt-in", ["key": "anna"]).status == 303)
        #expect(try fixture.state(of: "anna") == ["valid"])
    }

    @Test func `a device is released from quarantine`() throws {
        let fixture = try AudienceFixture()
        try fixture.add("anna", 1)
        _ = try fixture.operations.carryOut(
            AddToQuarantine(app: "shop-ios", token: AudienceFixture.token(1), reason: "a test"))
        let text = try fixture.browser.get("/subscribers/person?key=anna").text
        #expect(text.contains("Not reachable") && text.contains("Quarantined"))
        #expect(text.contains("/console/subscribers/release"))
        let answer = try fixture.browser.post(
            "/subscribers/release", ["key": "anna", "app": "shop-ios"])
        #expect(answer.status == 303)
        #expect(try fixture.state(of: "anna") == ["valid"])
    }

    @Test func `an erasure asks for confirmation and shows its job`() async throws {
        let fixture = try AudienceFixture()
        try fixture.add("anna", 1)
        let page = try fixture.browser.get("/subscribers/erase?key=anna").text
        #expect(page.contains("Erase for good") && page.contains("Record an opt-out instead"))
        let answer = try fixture.browser.post("/subscribers/erase", ["key": "anna"])
        let location = try #require(answer.value(of: "location"))
        #expect(location.hasPrefix("/console/jobs/"))
        let job = try #require(location.split(separator: "/").last.flatMap { Int64($0) })
        #expect(try await fixture.end(ofJob: job).errors.isEmpty)
        #expect(try fixture.state(of: "anna").isEmpty)
        let shown = try fixture.browser.get("/jobs/\(job)").text
        #expect(shown.contains("Erasure of a person") && shown.contains("Devices removed"))
        #expect(try fixture.browser.get("/jobs").text.contains("/console/jobs/\(job)"))
        #expect(try fixture.browser.get("/jobs/999").status == 404)
        // The script stops to request what does not change any more.
        #expect(try fixture.browser.get("/jobs/\(job)/live").value(of: "x-console-final") == "1")
    }

    @Test func `an explanation names what was found`() throws {
        let fixture = try AudienceFixture()
        let text = try fixture.browser.get("/subscribers/explain?key=nobody").text
        #expect(text.contains("No device is registered"))
        let wrong = try fixture.browser.get("/subscribers/explain?key=nobody&delivery=x")
        #expect(wrong.status == 422 && wrong.text.contains("Enter the number of a delivery"))
        #expect(wrong.text.contains("value=\"x\""))
    }

    @Test func `hostile names are shown as text`() throws {
        let fixture = try AudienceFixture()
        let hostile = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>\u{202E}gnp"
        try fixture.add(hostile, 1)
        let encoded = hostile.utf8.map { byte in
            "%\(String(byte / 16, radix: 16))\(String(byte % 16, radix: 16))"
        }.joined()
        let long = String(repeating: "n", count: 10_000)
        let browser = fixture.browser
        for path in [
            "/subscribers?q=\(encoded)", "/subscribers?app=shop-ios", "/subscribers/person?key=\(encoded)",
            "/subscribers/opt-out?key=\(encoded)", "/subscribers/erase?key=\(encoded)",
            "/subscribers/explain?key=\(encoded)", "/subscribers?q=\(long)",
            "/subscribers/person?key=\(long)",
        ] {
            let answer = try browser.get(path)
            #expect([200, 422].contains(answer.status), "\(path.prefix(60))")
            #expect(!answer.text.contains("<script>alert") && !answer.text.contains("<img src=x"))
            let isLong = path.contains(long)
            #expect(isLong || answer.text.contains("&lt;script&gt;alert"), "\(path.prefix(60))")
        }
    }

    @Test func `a viewer sees no buttons and can change nothing`() throws {
        let fixture = try AudienceFixture(.viewer)
        try fixture.add("anna", 1)
        let text = try fixture.browser.get("/subscribers/person?key=anna").text
        #expect(!text.contains("/subscribers/opt-out") && !text.contains("/subscribers/erase"))
        for path in ["opt-out", "opt-in", "release", "erase"] {
            let answer = try fixture.browser.post("/subscribers/\(path)", ["key": "anna"])
            #expect(answer.status == 403, "\(path)")
        }
        #expect(try fixture.state(of: "anna") == ["valid"])
        #expect(try fixture.browser.get("/imports").status == 403)
        #expect(try fixture.browser.get("/services/new").status == 403)
        #expect(try fixture.browser.get("/apps/new").status == 403)
    }

    @Test func `a marketer of a service sees no subscribers of other services`() throws {
        let fixture = try AudienceFixture(.marketer, services: ["shop"])
        try fixture.add("anna", 1)
        try fixture.add("anna", 2, app: "other-ios", parameters: #"{"city":"Oslo"}"#)
        try fixture.add("", 3, app: "other-ios", parameters: #"{"city":"Oslo"}"#)
        let hidden = try fixture.operations.carryOut(
            NumberDevices(
                try fixture.operations.carryOut(ShowSubscribers(.token(AudienceFixture.token(3)))).items))
        let number = try #require(hidden.first ?? nil)
        #expect(try fixture.browser.get("/subscribers/person?device=\(number)").status == 404)
        let browser = fixture.browser
        for path in ["/subscribers?q=anna", "/subscribers/person?key=anna"] {
            let text = try browser.get(path).text
            #expect(text.contains("shop-ios") && !text.contains("other-ios") && !text.contains("Oslo"))
        }
        #expect(try browser.get("/subscribers?app=other-ios").status == 422)
        #expect(try browser.get("/subscribers?service=other").status == 422)
        #expect(try browser.get("/subscribers/count?app=other-ios").status == 404)
        for path in ["/apps/of/other-ios", "/apps/of/other-ios/integration", "/services/of/other"] {
            #expect(try browser.get(path).status == 404, "\(path)")
        }
        #expect(try !browser.get("/apps").text.contains("other-ios"))
        #expect(try !browser.get("/subscribers/explain?key=anna").text.contains("other-ios"))
    }
}
