import PushAPI
import PushConsole
import PushModel
import TestSupport
import Testing

/// Tests of guarded actions of people who sign in with a provider.
@Suite struct OpenIDConfirmationTests {
    private static let form = ["name": "jonas", "role": "viewer"]
    private static let confirm = "/sign-in/openid?next=%2Fpeople&confirm=1"

    /// A stage with an admin who has no password and has signed in to the provider long ago.
    private static func stage() throws -> ProviderStage {
        let stage = try ProviderStage()
        try stage.fixture.addPersonWithoutPassword("root", .admin)
        #expect(try stage.signIn("root", "/sign-in/openid", ["auth_time": "1000000000"]).status == 303)
        _ = try stage.browser.get("/")
        return stage
    }

    private static func names(_ stage: ProviderStage) throws -> [String] {
        try stage.fixture.operations.carryOut(ListPeople()).map(\.name)
    }

    @Test func `a person without a password confirms with the provider, and the form is kept`() throws {
        let stage = try Self.stage()
        let demand = try stage.browser.post("/people/new", Self.form)
        #expect(demand.status == 403 && demand.text.contains("name=\"name\" value=\"jonas\""))
        #expect(!demand.text.contains("type=\"password\"") && demand.text.contains("target=\"_blank\""))
        let link = "href=\"/console/sign-in/openid?next=%2Fsign-in%2Fopenid%2Fconfirmed&amp;confirm=1\""
        #expect(demand.text.contains(link) && demand.text.contains("Confirm that it is you"))
        let path = "/sign-in/openid?next=%2Fsign-in%2Fopenid%2Fconfirmed&confirm=1"
        let address = try stage.leave(path)
        #expect(address.contains("&prompt=login&max_age=0"))
        let answer = try stage.signIn("root", path)
        #expect(answer.value(of: "location") == "/console/sign-in/openid/confirmed")
        let page = try stage.browser.get("/sign-in/openid/confirmed")
        #expect(page.status == 200 && page.text.contains("Close this tab"))
        #expect(try stage.browser.post("/people/new", Self.form).status != 403)
        #expect(try Self.names(stage) == ["jonas", "root"])
        #expect(try stage.fixture.audit.contains("person root session.confirm with OpenID Connect"))
        stage.fixture.advance(minutes: 11)
        #expect(try stage.browser.post("/people/new", ["name": "mara"]).status == 403)
        #expect(try stage.browser.get("/account").text.contains("You have no password"))
        #expect(stage.provider.faults.isEmpty)
    }

    @Test func `a person who has just signed in at the provider need not confirm`() throws {
        let stage = try ProviderStage()
        try stage.fixture.addPersonWithoutPassword("root", .admin)
        #expect(try stage.signIn("root").status == 303)
        _ = try stage.browser.get("/")
        #expect(try stage.browser.post("/people/new", Self.form).status != 403)
    }

    @Test(arguments: [nil, "1795261799", "1795262461", "\"now\""] as [String?])
    func `a provider that does not state a recent time confirms nothing`(time: String?) throws {
        let stage = try Self.stage()
        let answer = try stage.signIn("root", Self.confirm, ["auth_time": time])
        #expect(answer.status == 403 && answer.text.contains("that you have just signed in"))
        #expect(try stage.browser.post("/people/new", Self.form).status == 403)
        #expect(try Self.names(stage) == ["root"])
    }

    @Test func `only the session's own person confirms it, and only in that session`() throws {
        let stage = try Self.stage()
        try stage.fixture.addPerson("mara", .viewer)
        let other = try stage.signIn("mara", Self.confirm)
        #expect(other.status == 403 && other.text.contains("as another person"))
        #expect(try stage.browser.post("/people/new", Self.form).status == 403)
        // The session changes while the person is at the provider.
        let claims = ["preferred_username": "\"root\"" as String?]
        let query = try stage.provider.signIn(at: try stage.leave(Self.confirm), claims)
        let cookie = try #require(stage.browser.cookies["__Host-pushmta-openid"])
        _ = try stage.signIn("root", "/sign-in/openid", ["auth_time": nil])
        stage.browser.cookies["__Host-pushmta-openid"] = cookie
        let answer = try stage.browser.get("/sign-in/openid/callback?\(query)")
        #expect(answer.status == 403 && answer.text.contains("Your session has ended"))
        _ = try stage.browser.get("/")
        #expect(try stage.browser.post("/people/new", Self.form).status == 403)
        // A confirmation cannot begin without a session or from another site.
        var request = try stage.browser.request(.get, Self.confirm)
        request.fetchSite = "cross-site"
        #expect(stage.browser.send(request).status == 403)
        let stranger = try Browser(stage.fixture).get(Self.confirm)
        #expect(stranger.status == 303 && stranger.value(of: "location") == "/console/sign-in")
    }

    @Test func `a person with a password chooses, and without either learns what to do`() throws {
        let stage = try ProviderStage()
        let browser = stage.browser
        try stage.fixture.addPerson("root", .admin)
        #expect(try browser.signIn("root").status == 303)
        stage.fixture.advance(minutes: 11)
        let demand = try browser.post("/people/new", Self.form).text
        #expect(demand.contains("name=\"_password\"") && demand.contains("target=\"_blank\""))
        let right = Self.form.merging(["_password": ConsoleFixture.password]) { $1 }
        #expect(try browser.post("/people/new", right).status != 403)
        #expect(try Self.names(stage) == ["jonas", "root"])
    }

    @Test func `a form that is submitted after the end of the session is kept for the provider, too`() throws
    {
        let stage = try ProviderStage()
        let browser = stage.browser
        try stage.fixture.addPersonWithoutPassword("root", .admin)
        let page = try browser.post("/people/new", ["name": "jonas", "_owner": "root"])
        #expect(page.status == 401 && page.text.contains("target=\"_blank\""))
        #expect(page.text.contains("name=\"_resume\"") && page.text.contains("value=\"jonas\""))
        let fields = [
            "_resume": "1", "_action": "/people/new", "_kept.name": "jonas", "_owner": "root",
        ]
        // The person has not signed in yet.
        let early = try browser.post("/sign-in", fields)
        #expect(early.status == 401 && early.text.contains("name=\"_kept.name\" value=\"jonas\""))
        #expect(try stage.signIn("root").status == 303)
        let kept = try browser.post("/sign-in", fields)
        #expect(kept.status == 200 && kept.text.contains("action=\"/console/people/new\""))
        #expect(kept.text.contains("name=\"name\" value=\"jonas\""))
        // The form of another person is not shown.
        let other = try browser.post("/sign-in", fields.merging(["_owner": "mara"]) { $1 })
        #expect(other.status == 401 && !other.text.contains("action=\"/console/people/new\""))
    }
}
