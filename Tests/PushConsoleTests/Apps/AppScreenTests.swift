import PushAPI
import PushConsole
import PushModel
import Testing

@Suite struct AppScreenTests {
    private static func app(_ fixture: AudienceFixture, _ name: String = "shop-ios") throws -> AppView {
        try fixture.operations.carryOut(ShowApp(name: name)).app
    }

    @Test func `a service is created and changed`() throws {
        let browser = try AudienceFixture().browser
        #expect(try browser.get("/services").text.contains("New service"))
        let bad = try browser.post(
            "/services/new", ["name": "news", "label": "News <b>", "frequencyCap": "often"])
        #expect(bad.status == 422 && bad.text.contains("value=\"News &lt;b&gt;\""))
        #expect(bad.text.contains("value=\"often\""))
        let good = try browser.post(
            "/services/new", ["name": "news", "label": "News", "frequencyCap": "3 in 7d"])
        #expect(good.value(of: "location") == "/console/services/of/news")
        #expect(try browser.get("/services/of/news").text.contains("There is no app yet"))
        #expect(try browser.post("/services/of/news", ["label": "", "description": "All"]).status == 303)
        let text = try browser.get("/services/of/news").text
        #expect(text.contains("Any number of messages") && text.contains("All"))
        #expect(try browser.get("/services/of/nothing").status == 404)
        #expect(try browser.get("/services/of/shop/subscriptions").text.contains("New subscriptions"))
    }

    @Test func `an app is created in steps, tested and integrated`() throws {
        let fixture = try AudienceFixture()
        let browser = fixture.browser
        #expect(try browser.get("/apps/new").text.contains("Continue"))
        let early = try browser.get("/apps/new/connection?name=&service=shop&platform=ios")
        #expect(early.status == 422 && early.text.contains("Enter a name"))
        let step = try browser.get("/apps/new/connection?name=news-ios&service=shop&platform=ios").text
        for label in ["Bundle id", "Key (.p8)", "Key id", "Team id", "Create the app"] {
            #expect(step.contains(label), "\(label)")
        }
        let fields = [
            "name": "news-ios", "service": "shop", "platform": "ios", "integrationKey": "news",
            "connector": "iosHTTP2", "environment": "production", "bundleId": "com.example.news",
        ]
        let bad = try fixture.upload("/apps/new/connection", fields, file: nil)
        #expect(bad.status == 422 && bad.text.contains("value=\"com.example.news\""))
        #expect(bad.text.contains("name=\"name\" value=\"news-ios\""))
        let good = try fixture.upload(
            "/apps/new/connection", fields.merging(["connector": "stub"]) { $1 }, file: nil)
        #expect(good.value(of: "location") == "/console/apps/of/news-ios/test")
        #expect(try browser.get("/apps/of/news-ios/test").text.contains("Test the connection"))
        let tested = try browser.post("/apps/of/news-ios/test")
        #expect(tested.status == 200 && tested.text.contains("accepted"))
        let integration = try browser.get("/apps/of/news-ios/integration").text
        #expect(integration.contains("<pre") && integration.contains("news"))
    }

    @Test func `parameters, variables, sounds and categories are added and removed`() throws {
        let fixture = try AudienceFixture()
        let browser = fixture.browser
        func post(_ list: String, _ fields: [String: String]) throws -> Int {
            let fields = fields.map { ("\(list)-\($0.key)", $0.value) }
            return try browser.post(
                "/apps/of/shop-ios/items/\(list)",
                Dictionary(fields) { first, _ in first }.merging(["action": "add"]) { $1 }
            ).status
        }
        #expect(try browser.get("/apps/of/shop-ios").text.matches(of: /<p>None<\/p>/).count == 4)
        #expect(try post("parameters", ["name": "city", "kind": "text"]) == 303)
        #expect(try post("variables", ["name": "page", "default": "home"]) == 303)
        #expect(try post("sounds", ["name": "bell.caf", "label": "Bell"]) == 303)
        #expect(try post("categories", ["name": "offer"]) == 303)
        let app = try Self.app(fixture)
        #expect(app.parameters.map(\.name) == ["city"] && app.variables.map(\.defaultValue) == ["home"])
        #expect(app.sounds.map(\.label) == ["Bell"] && app.categories.map(\.label) == ["offer"])
        let page = try browser.get("/apps/of/shop-ios").text
        #expect(page.contains("bell.caf") && page.contains("Remove<span"))
        let bad = try browser.post(
            "/apps/of/shop-ios/items/variables",
            [
                "variables-name": "page <b>", "variables-default": "x", "variables-optional": "on",
                "action": "add",
            ])
        #expect(bad.status == 422 && bad.text.contains("value=\"page &lt;b&gt;\""))
        let removed = try browser.post(
            "/apps/of/shop-ios/items/sounds", ["sounds-name": "bell.caf", "action": "remove"])
        #expect(removed.status == 303)
        #expect(try Self.app(fixture).sounds.isEmpty)
        #expect(try browser.post("/apps/of/shop-ios/items/others").status == 404)
    }

    @Test func `ids are unique on the page of an app`() throws {
        let text = try AudienceFixture().browser.get("/apps/of/shop-ios").text
        let ids = text.matches(of: /\sid="([^"]+)"/).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count, "\(ids)")
        let labels = text.matches(of: /<label for="([^"]+)"/).map { String($0.output.1) }
        #expect(Set(labels).isSubset(of: ids))
    }

    @Test func `a second integration key is added and the first one retired`() throws {
        let fixture = try AudienceFixture()
        let browser = fixture.browser
        let path = "/apps/of/shop-ios/keys"
        #expect(try browser.post(path, ["added": "second"]).status == 303)
        #expect(try browser.get("/apps/of/shop-ios").text.contains("Retire<span"))
        #expect(try browser.post(path, ["retired": "shop-ios"]).status == 303)
        #expect(try Self.app(fixture).integrationKey == "second")
        #expect(try browser.post(path, ["retired": "second"]).status == 422)
    }

    @Test func `a connection is changed only if something is different`() throws {
        let fixture = try AudienceFixture()
        let path = "/apps/of/shop-ios/connection"
        #expect(try fixture.browser.get(path).text.contains("Test and change"))
        let same = try fixture.upload(path, ["connector": "stub", "environment": "production"], file: nil)
        #expect(same.status == 422 && same.text.contains("Nothing is different"))
        let key = (field: "p8", name: "AuthKey.p8", text: "not a key")
        let bad = try fixture.upload(
            path, ["connector": "iosHTTP2", "bundleId": "com.example", "keyId": "K", "teamId": "T"], file: key
        )
        #expect(bad.status == 422 && bad.text.contains("Choose the files again"))
        #expect(bad.text.contains("value=\"com.example\""))
        #expect(try Self.app(fixture).connector == .stub)
        #expect(try fixture.browser.post("\(path)/back").status == 422)
    }

    @Test func `an icon that is not an image is refused`() throws {
        let fixture = try AudienceFixture()
        let path = "/apps/of/shop-ios/icon"
        #expect(try fixture.upload(path, [:], file: ("icon", "icon.png", "no image")).status == 422)
        #expect(try fixture.upload(path, [:], file: nil).status == 422)
        #expect(try fixture.browser.get(path).status == 404)
    }

    @Test func `hostile labels are shown as text, and lists have pages`() throws {
        let fixture = try AudienceFixture()
        let label = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>"
        #expect(try fixture.browser.post("/apps/of/shop-ios/label", ["label": label]).status == 303)
        let refused = try fixture.browser.post("/apps/of/shop-ios/label", ["label": AudienceFixture.hostile])
        #expect(refused.status == 422 && refused.text.contains("id=\"field-label-error\""))
        // The form keeps what was typed, and another language leads to a page that exists.
        #expect(refused.text.contains("nnnn\" autocomplete=\"off\" maxlength=\"256\""))
        #expect(refused.text.contains("name=\"next\" value=\"/apps\""))
        for path in ["/apps", "/apps/of/shop-ios", "/services/of/shop", "/imports", "/apps?q=zzz"] {
            let text = try fixture.browser.get(path).text
            #expect(path.hasSuffix("zzz") || text.contains("&lt;script&gt;alert"), "\(path)")
            #expect(!text.contains("<script>alert") && !text.contains("<img src=x"), "\(path)")
        }
        #expect(try fixture.browser.get("/apps?q=zzz").text.contains("No app matches"))
        #expect(try fixture.browser.get("/apps/unknown-keys").text.contains("All devices are known"))
    }
}
