import PushAPI
import PushConsole
import PushModel
import Testing

/// Walks all routes, so that a new screen cannot lack a protection.
@Suite struct GuardTests {
    private static func address(of route: ConsoleRoute) -> String {
        route.pattern.replacing(/\{[^}]+\}/, with: "1")
    }
    private static var posts: [String] {
        Screens.routes.filter { $0.method == .post }.map(address)
    }

    @Test func `each POST without the session's token or from another host is refused`() throws {
        let fixture = try ConsoleFixture()
        let browser = try fixture.browser(of: "root", .admin)
        #expect(!Self.posts.isEmpty)
        for path in Self.posts {
            #expect(try browser.post(path, csrf: "").status == 403, "\(path)")
            let other = String(browser.csrf.reversed())
            #expect(try browser.post(path, csrf: other).status == 403, "\(path)")
            for site in ["cross-site", "same-site", "nonsense"] {
                let answer = try browser.post(path) { $0.fetchSite = site }
                #expect(
                    answer.status == 403 && answer.text.contains("The form is not valid"), "\(path) \(site)")
            }
            for origin in ["https://evil.example", "null", "http://push.example", "https://push.example:444"]
            {
                let answer = try browser.post(path) { ($0.fetchSite, $0.origin) = (nil, origin) }
                #expect(answer.status == 403, "\(path) \(origin)")
            }
        }
        // The person is still signed in.
        #expect(try browser.get("/").status == 200)
    }

    @Test(arguments: ["/sign-in", "/welcome"])
    func `a page without a session accepts a form only from its own host`(path: String) throws {
        let browser = Browser(try ConsoleFixture())
        for (site, origin) in [("cross-site", nil), (nil, "https://evil.example"), (nil, nil)] {
            let answer = try browser.post(path) { ($0.fetchSite, $0.origin) = (site, origin) }
            #expect(answer.status == 403 && answer.text.contains("The form is not valid"))
        }
        let own = try browser.post(path) { ($0.fetchSite, $0.origin) = (nil, "https://push.example") }
        #expect(own.status != 403)
    }

    // An admin may do everything.
    @Test(arguments: [Role.viewer, .marketer, .operator])
    func `a role's person is refused everything that the role does not permit`(role: Role) throws {
        let fixture = try ConsoleFixture()
        let browser = try fixture.browser(of: "someone", role)
        var refused = 0
        for route in Screens.routes {
            guard let scope = route.scope, !role.scopes.contains(scope) else { continue }
            refused += 1
            let path = Self.address(of: route)
            let answer = route.method == .get ? try browser.get(path) : try browser.post(path)
            #expect(answer.status == 403 && answer.text.contains("Not permitted"), "\(role) \(route.pattern)")
        }
        #expect(refused > 5)
    }

    @Test func `a screen cannot carry out a use case that the role does not permit`() throws {
        let fixture = try ConsoleFixture([CarelessScreens.self])
        let answer = try fixture.browser(of: "mara", .marketer).post("/careless", ["name": "shop"])
        #expect(answer.status == 403)
        #expect(try fixture.operations.carryOut(ListServices()).isEmpty)
    }

    @Test func `a guarded action asks for the password first, and then continues`() throws {
        let fixture = try ConsoleFixture([CarelessScreens.self])
        let browser = try fixture.browser(of: "jonas", .operator)
        fixture.advance(minutes: 11)
        let demand = try browser.post("/guarded", ["name": "shop"])
        #expect(demand.status == 403 && demand.text.contains("name=\"name\" value=\"shop\""))
        #expect(try fixture.operations.carryOut(ListServices()).isEmpty)
        let wrong = try browser.post("/guarded", ["name": "shop", "_password": "a wrong one"])
        #expect(wrong.text.contains("The password is wrong"))
        let right = ["name": "shop", "_password": ConsoleFixture.password]
        #expect(try browser.post("/guarded", right).value(of: "location") == "/console/")
        #expect(try fixture.operations.carryOut(ListServices()).map(\.name) == ["shop"])
        #expect(try browser.post("/guarded", ["name": "second"]).status == 303)
        fixture.advance(minutes: 11)
        #expect(try browser.post("/guarded", ["name": "third"]).status == 403)
    }

    @Test func `what takes long does not occupy the threads of pages`() throws {
        let browser = Browser(try ConsoleFixture())
        func work(
            _ method: ConsoleRequest.Method, _ path: String, _ fields: [FormFields.Field] = []
        ) throws -> Console.Work {
            var request = try browser.request(method, path)
            request.form = FormFields(fields)
            return browser.fixture.console.work(of: request)
        }
        for path in ["/", "/deliveries/1", "/deliveries/1/devices", "/drafts/1/review", "/none"] {
            #expect(try work(.get, path) == .page, "\(path)")
        }
        for path in [
            "/drafts/1/review?count=1", "/drafts/1/review/count", "/deliveries/1/csv/file",
            "/deliveries/1/devices?count=1", "/deliveries/1/devices/count",
        ] {
            #expect(try work(.get, path) == .lengthy, "\(path)")
        }
        for path in ["/apps/of/shop/test", "/webhooks/crm/test", "/drafts/1/audience/count"] {
            #expect(try work(.post, path) == .lengthy, "\(path)")
        }
        for path in ["/sign-in", "/welcome", "/password", "/account/password"] {
            #expect(try work(.post, path) == .password, "\(path)")
        }
        for path in ["/sign-in/openid", "/sign-in/openid/callback?code=a"] {
            #expect(try work(.get, path) == .provider, "\(path)")
        }
        let password = FormFields.Field(name: "_password", value: "")
        #expect(try work(.post, "/people/new", [password]) == .password)
        #expect(try work(.post, "/people/new") == .page)
    }

    @Test func `only a browser with a session can send files`() throws {
        let fixture = try ConsoleFixture()
        let browser = try fixture.browser(of: "mara", .admin)
        func isAdmitted(_ change: (inout ConsoleRequest) -> Void = { _ in }) throws -> Bool {
            var request = try browser.request(.post, "/imports")
            change(&request)
            return fixture.console.hasSession(request, operations: fixture.operations)
        }
        #expect(try isAdmitted())
        #expect(try !isAdmitted { $0.fetchSite = "cross-site" })
        #expect(try !isAdmitted { $0.isSecure = false })
        #expect(try !isAdmitted { $0.cookies["__Host-pushmta"] = String(repeating: "a", count: 43) })
        _ = try browser.post("/sign-out")
        #expect(try !isAdmitted())
    }

    @Test func `actions that reveal secrets or cannot be undone need the password`() {
        let guarded = Set(Screens.routes.filter(\.isGuarded).map(\.pattern))
        for path in [
            "/people/new", "/people/{name}/role", "/people/{name}/reset", "/people/{name}/remove",
            "/tokens/new", "/tokens/{name}/revoke", "/webhooks/new", "/webhooks/{name}",
            "/webhooks/{name}/rotate-secret", "/webhooks/{name}/delete", "/subscribers/erase", "/store/purge",
        ] {
            #expect(guarded.contains(path), "\(path)")
        }
    }

    @Test func `the security policy is on every answer`() throws {
        let fixture = try ConsoleFixture([CarelessScreens.self])
        let browser = try fixture.browser(of: "mara", .viewer)
        let home = try browser.get("/")
        let asset = try #require(home.text.firstMatch(of: /href="\/console(\/assets\/[^"]+)"/)).output.1
        let answers = [
            home, try browser.get(String(asset)), try browser.get("/assets/none"), try browser.get("/none"),
            try browser.post("/language", ["language": "de"]), try browser.post("/language", csrf: ""),
            try browser.post("/careless"), try Browser(fixture).get("/"),
            try Browser(fixture).get("/sign-in"),
            try Browser(fixture).get("/welcome"), ConsoleAnswer(413, line: "too large"),
        ]
        for answer in answers {
            #expect(answer.value(of: "content-security-policy") == ConsoleAnswer.contentSecurityPolicy)
            #expect(answer.value(of: "x-content-type-options") == "nosniff")
            #expect(answer.value(of: "referrer-policy") == "same-origin")
            let isAsset =
                answer.status == 200 && answer.value(of: "content-type")?.hasPrefix("text/html") == false
            #expect(
                answer.value(of: "cache-control")
                    == (isAsset ? "public, max-age=31536000, immutable" : "no-store"))
        }
        for word in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            #expect(ConsoleAnswer.contentSecurityPolicy.contains(word))
        }
        #expect(!ConsoleAnswer.contentSecurityPolicy.contains("unsafe"))
    }
}

/// Screens whose routes need less than what they do.
private enum CarelessScreens: ScreenGroup {
    static let routes = [
        ConsoleRoute(.post, "/careless", needs: nil, answer: create),
        ConsoleRoute(.post, "/guarded", needs: .admin, guarded: true, answer: create),
    ]

    @Sendable private static func create(_ visit: Visit) throws -> Reply {
        var create = CreateService()
        create.name = visit.form["name"] ?? ""
        _ = try visit.carryOut(create)
        return .redirect("/")
    }
}
