import Dispatch
import PushAPI
import PushConsole
import PushModel
import PushStore
import PushWire
import Synchronization
import Testing

/// Forms that are submitted twice: by a double click, or after going back.
@Suite struct OnceTests {
    /// A form, and the number of things of the kind that it creates.
    private struct Form {
        var address: String
        var fields: [String: String]
        var count: (Operations) throws -> Int
        /// How many things it creates.
        var created = 1
    }

    private static let key = String(repeating: "0123456789abcdef", count: 2)

    /// The forms that set a state, or that change the version of an object that the person has seen.
    /// Submitting them again sets the same state again.
    private static let settingAState: Set = [
        "/sign-out", "/password", "/language", "/account", "/account/password", "/account/sessions/end",
        "/people/{name}/role", "/people/{name}/remove", "/people/{name}/sessions/end",
        "/tokens/{name}/revoke", "/webhooks/{name}", "/webhooks/{name}/delete",
        "/templates/shared/{name}/edit", "/templates/of/{service}/{name}/edit",
        "/templates/shared/{name}/delete", "/templates/of/{service}/{name}/delete",
        "/drafts/{id}/remove", "/drafts/{id}/content", "/drafts/{id}/content/preview",
        "/drafts/{id}/languages", "/drafts/{id}/audience", "/drafts/{id}/audience/count",
        "/drafts/{id}/timing", "/jobs/{id}/cancel", "/services/of/{service}", "/apps/of/{app}/label",
        "/apps/of/{app}/icon", "/apps/of/{app}/keys", "/apps/of/{app}/items/{list}", "/apps/of/{app}/test",
        "/quarantine/add", "/quarantine/release", "/storms/{name}/confirm", "/storms/{name}/discard",
        "/subscribers/opt-out", "/subscribers/opt-in", "/subscribers/release", "/hosts/{id}/drain",
        "/hosts/{id}/resume", "/accounts/{name}/resume", "/deliveries/{id}/pause",
        "/deliveries/{id}/resume", "/deliveries/{id}/stop", "/deliveries/{id}/release",
        "/deliveries/{id}/recount",
    ]

    @Test func `each form either has one effect, or sets a state`() {
        let posts = Screens.routes.filter { $0.method == .post }
        let others = Set(posts.filter { !$0.isOnce }.map(\.pattern))
        #expect(others == Self.settingAState, "\(others.symmetricDifference(Self.settingAState))")
    }

    @Test func `a creating form that is submitted twice creates one thing, and leads to the same page`()
        throws
    {
        let fixture = try DeliveryFixture(.admin)
        try fixture.console.addPerson("oskar", .viewer)
        for form in try Self.forms(fixture) {
            var fields = form.fields
            fields["_key"] = Self.key
            _ = try fixture.browser.get("/")
            let before = try form.count(fixture.operations)
            let first = try fixture.browser.post(form.address, fields)
            #expect([200, 303].contains(first.status), "\(form.address): \(first.text)")
            #expect(try form.count(fixture.operations) == before + form.created, "\(form.address)")
            _ = try fixture.browser.get("/")
            let second = try fixture.browser.post(form.address, fields)
            #expect(second.status == first.status, "\(form.address)")
            #expect(second.value(of: "location") == first.value(of: "location"), "\(form.address)")
            #expect(second.text == first.text, "\(form.address)")
            #expect(try form.count(fixture.operations) == before + form.created, "\(form.address)")
        }
    }

    private static func forms(_ fixture: DeliveryFixture) throws -> [Form] {
        let draft = try fixture.operations.carryOut(
            SaveDraft(
                [
                    "label": .string("Draft"), "service": .string("shop"),
                    "content": ["title": .string("Hello")], "target": ["all": .boolean(true)],
                ], basedOn: nil)
        ).id
        let failed = try fixture.submit("Failed")
        try fixture.refuse(failed, "SENDER_ID_MISMATCH")
        let deliveries = { (all: Operations) in try all.carryOut(ListDeliveries()).items.count }
        let jobs = { (all: Operations) in try all.carryOut(ListJobs()).items.count }
        let people = { (all: Operations) in try all.carryOut(ListPeople()).count }
        return [
            Form(address: "/deliveries/new", fields: ["label": "Sale", "service": "shop"]) { all in
                try all.carryOut(ListDrafts()).items.count
            },
            Form(address: "/deliveries/new", fields: ["copy": "\(failed)"]) { all in
                try all.carryOut(ListDrafts()).items.count
            },
            Form(address: "/drafts/\(draft)/proof", fields: ["proof.keys": "user1"], count: deliveries),
            Form(
                address: "/drafts/\(draft)/submit", fields: ["_version": "1", "_counted": "3"],
                count: deliveries),
            Form(address: "/deliveries/\(failed)/retry", fields: [:], count: jobs),
            Form(address: "/templates/new", fields: ["name": "sale", "service": "shop", "title": "20% off"]) {
                try $0.carryOut(ListTemplates()).count
            },
            Form(address: "/services/new", fields: ["name": "news"]) {
                try $0.carryOut(ListServices()).count
            },
            Form(
                address: "/apps/new/connection",
                fields: [
                    "name": "news-ios", "service": "shop", "platform": "ios", "integrationKey": "news",
                    "connector": "stub", "environment": "production", "bundleId": "com.example.news",
                ]
            ) { try $0.carryOut(ListApps()).count },
            Form(address: "/tokens/new", fields: ["name": "crm", "scopes": "read"]) {
                try $0.carryOut(ListAccessTokens()).count
            },
            Form(address: "/people/new", fields: ["name": "anna", "role": "viewer"], count: people),
            Form(address: "/people/oskar/reset", fields: [:], count: people, created: 0),
            Form(
                address: "/webhooks/new",
                fields: ["name": "crm", "url": "https://crm.example/push", "events": "failed"]
            ) { try $0.carryOut(ListWebhooks()).count },
            Form(address: "/webhooks/crm/rotate-secret", fields: [:], count: people, created: 0),
            Form(address: "/store/estimate", fields: [:], count: jobs),
            Form(address: "/store/purge", fields: [:], count: jobs),
            Form(address: "/subscribers/opt-out", fields: ["key": "user2"], count: people, created: 0),
            Form(address: "/subscribers/erase", fields: ["key": "user3"], count: jobs),
        ]
    }

    @Test func `an uploaded table that is submitted twice is imported once`() async throws {
        let fixture = try AudienceFixture()
        let file = (
            field: "file", name: "people.csv", text: "token,userKey\n\(AudienceFixture.token(1)),anna\n"
        )
        func upload(_ key: String) throws -> String? {
            try fixture.upload("/imports", ["app": "shop-ios", "_key": key], file: file).value(of: "location")
        }
        let page = try #require(try upload(Self.key))
        #expect(try upload(Self.key) == page)
        #expect(try upload(String(Self.key.reversed())) != page)
        let fields = ["column-0": "token", "column-1": "userKey", "_key": Self.key]
        let path = page.replacing("/console", with: "")
        let job = try #require(try fixture.browser.post(path, fields).value(of: "location"))
        let id = try #require(job.split(separator: "/").last.flatMap { Int64($0) })
        _ = try await fixture.end(ofJob: id)
        #expect(try fixture.browser.post(path, fields).value(of: "location") == job)
        #expect(try fixture.operations.carryOut(ListJobs()).items.count == 1)
    }

    @Test func `a form that was changed, refused or shown again is carried out`() throws {
        let fixture = try DeliveryFixture(.admin)
        func post(_ address: String, _ fields: [String: String]) throws -> ConsoleAnswer {
            try fixture.browser.post(address, fields.merging(["_key": Self.key]) { $1 })
        }
        func drafts() throws -> Int { try fixture.operations.carryOut(ListDrafts()).items.count }
        _ = try post("/deliveries/new", ["label": "A", "service": "shop"])
        _ = try post("/deliveries/new", ["label": "B", "service": "shop"])
        #expect(try drafts() == 2)
        _ = try fixture.browser.post("/deliveries/new", ["label": "B", "service": "shop"])
        #expect(try drafts() == 3)
        #expect(try post("/tokens/new", ["name": "crm"]).status == 422)
        #expect(try post("/tokens/new", ["name": "crm"]).status == 422)
        #expect(try post("/tokens/new", ["name": "crm", "scopes": "read"]).status == 200)
    }

    @Test func `a secret is shown again for one minute only`() throws {
        let fixture = try DeliveryFixture(.admin)
        let fields = ["name": "crm", "scopes": "read", "_key": Self.key]
        let secret = try #require(
            try fixture.browser.post("/tokens/new", fields).text.firstMatch(of: /pmta_[A-Za-z0-9_-]{43}/)
        ).output
        #expect(try fixture.browser.post("/tokens/new", fields).text.contains(secret))
        fixture.console.advance(minutes: 1)
        let late = try fixture.browser.post("/tokens/new", fields)
        #expect(late.status == 303 && late.value(of: "location") == "/console/tokens")
        #expect(try fixture.browser.get("/tokens").text.contains("already submitted"))
        #expect(try fixture.operations.carryOut(ListAccessTokens()).count == 1)
        // The form of another person is another form.
        let other = try fixture.console.browser(of: "anna", .admin)
        #expect(try other.post("/tokens/new", fields).status == 422)
    }

    @Test func `a form that is submitted at the same time creates one draft`() throws {
        let fixture = try DeliveryFixture(.admin)
        var request = try fixture.browser.request(.post, "/deliveries/new")
        request.fetchSite = "same-origin"
        let fields = [
            ("label", "Sale"), ("service", "shop"), ("_key", Self.key), ("_csrf", fixture.browser.csrf),
        ]
        request.form = FormFields(fields.map { FormFields.Field(name: $0.0, value: $0.1) })
        let places = Mutex<Set<String?>>([])
        let (console, operations, submitted) = (fixture.console.console, fixture.operations, request)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let answer = console.answer(submitted, operations: operations)
            places.withLock { _ = $0.insert(answer.value(of: "location")) }
        }
        #expect(places.withLock { $0.count } == 1)
        #expect(try fixture.operations.carryOut(ListDrafts()).items.count == 1)
    }

    @Test func `a draft and a proof are created once, also if another process answers the second time`()
        throws
    {
        let fixture = try DeliveryFixture(.marketer)
        func post(_ address: String, _ fields: [(String, String)], _ console: Console) throws -> String? {
            var request = try fixture.browser.request(.post, address)
            request.fetchSite = "same-origin"
            let all = fields + [("_key", Self.key), ("_csrf", fixture.browser.csrf)]
            request.form = FormFields(all.map { FormFields.Field(name: $0.0, value: $0.1) })
            return console.answer(request, operations: fixture.operations).value(of: "location")
        }
        let fields = [("label", "Sale"), ("service", "shop")]
        let page = try #require(try post("/deliveries/new", fields, Console()))
        #expect(try post("/deliveries/new", fields, Console()) == page)
        #expect(try post("/deliveries/new", [("label", "B"), ("service", "shop")], Console()) != page)
        let id = try #require(try fixture.operations.carryOut(ListDrafts()).items.last).id
        let content: JSONValue = [
            "label": .string("Sale"), "service": .string("shop"), "content": ["title": .string("Hello")],
            "target": ["all": .boolean(true)],
        ]
        _ = try fixture.operations.carryOut(
            SaveDraft(content, basedOn: DraftVersion(id: id, version: 1)))
        func deliveries() throws -> Int { try fixture.operations.carryOut(ListDeliveries()).items.count }
        for _ in 1...2 {
            #expect(try post("/drafts/\(id)/proof", [("proof.keys", "user1")], Console()) != nil)
            #expect(try deliveries() == 1)
        }
        #expect(try post("/drafts/\(id)/proof", [("proof.keys", "user2")], Console()) != nil)
        #expect(try deliveries() == 2)
    }

    @Test func `a page marks the forms that must have one effect`() throws {
        let fixture = try DeliveryFixture(.admin)
        for path in ["/deliveries/new", "/tokens/new", "/people/new", "/services/new", "/imports"] {
            #expect(try fixture.browser.get(path).text.contains(" data-once"), "\(path)")
        }
        #expect(try !fixture.browser.get("/account").text.contains(" data-once"))
    }
}
