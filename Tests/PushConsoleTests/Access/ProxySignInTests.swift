import PushAPI
import PushConsole
import PushModel
import Testing

/// Tests of people whom a trusted proxy states. `PushServerTests` test which proxies are trusted.
@Suite struct ProxySignInTests {
    private static let cookie = "__Host-pushmta"

    @Test func `a person whom the proxy states gets a session`() throws {
        let fixture = try ConsoleFixture()
        try fixture.addPersonWithoutPassword("mara", .marketer)
        let browser = Browser(fixture)
        let planted = String(repeating: "a", count: 43)
        (browser.statedPeople, browser.cookies[Self.cookie]) = (["Mara"], planted)
        let answer = try browser.get("/account?from=link")
        #expect(answer.status == 303 && answer.value(of: "location") == "/console/account?from=link")
        let session = try #require(browser.cookies[Self.cookie])
        #expect(session != planted)
        let page = try browser.get("/account?from=link")
        #expect(page.status == 200 && page.text.contains("<bdi>mara</bdi>"))
        #expect(browser.cookies[Self.cookie] == session)
        #expect(try fixture.audit.contains("person mara session.begin from 192.0.2.7 as a proxy states"))
        // Without the header, the session continues, and without a session there is the page to sign in.
        browser.statedPeople = []
        #expect(try browser.get("/").status == 200)
        browser.cookies = [:]
        #expect(try browser.get("/").value(of: "location") == "/console/sign-in")
        #expect(try browser.get("/sign-in").text.contains("name=\"password\""))
    }

    @Test func `a session of another person ends`() throws {
        let fixture = try ConsoleFixture()
        try fixture.addPerson("jonas", .viewer)
        let browser = try fixture.browser(of: "root", .admin)
        let former = try #require(browser.cookies[Self.cookie])
        let csrf = browser.csrf
        browser.statedPeople = ["jonas"]
        // A form of the former person is not carried out.
        let form = ["name": "anna", "role": "admin", "_owner": "root"]
        let posted = try browser.post("/people/new", form, csrf: csrf)
        #expect(posted.status == 303 && posted.value(of: "location") == "/console/")
        #expect(try fixture.operations.carryOut(ListPeople()).map(\.name) == ["jonas", "root"])
        #expect(try browser.get("/").text.contains("<bdi>jonas</bdi>"))
        (browser.statedPeople, browser.cookies[Self.cookie]) = ([], former)
        #expect(try browser.get("/").status == 303)
    }

    @Test func `an unknown person is refused, and so are several names`() throws {
        let fixture = try ConsoleFixture()
        let browser = try fixture.browser(of: "mara", .viewer)
        let session = browser.cookies[Self.cookie]
        for (people, text) in [
            (["nobody"], "\u{2068}nobody\u{2069}"), (["<b>x</b>"], "&lt;b&gt;x&lt;/b&gt;"),
            (["mara", "jonas"], "several names"), (["mara", "mara"], "several names"),
        ] {
            (browser.statedPeople, browser.cookies[Self.cookie]) = (people, session)
            let answer = try browser.get("/")
            #expect(answer.status == 403 && answer.text.contains(text), "\(people)")
            #expect(browser.cookies[Self.cookie] == nil)
        }
        (browser.statedPeople, browser.cookies[Self.cookie]) = ([], session)
        #expect(try browser.get("/").status == 303)
        // A proxy that states no person sends an empty field.
        for people in [[""], [" ", ""]] {
            browser.statedPeople = people
            #expect(try browser.get("/").value(of: "location") == "/console/sign-in")
        }
    }

    @Test func `a part of a page begins no session, and a form of a person's own is kept`() throws {
        let fixture = try ConsoleFixture()
        try fixture.addPersonWithoutPassword("root", .admin)
        let browser = Browser(fixture)
        browser.statedPeople = ["root"]
        var request = try browser.request(.get, "/home/live")
        request.isFragment = true
        #expect(browser.send(request).status == 401 && browser.cookies.isEmpty)
        let kept = try browser.post("/people/new", ["name": "jonas", "_owner": "root"])
        #expect(kept.status == 200 && kept.text.contains("action=\"/console/people/new\""))
        #expect(kept.text.contains("name=\"name\" value=\"jonas\"") && browser.cookies[Self.cookie] != nil)
    }

    @Test func `the page to sign in and the end of a session name the person`() throws {
        let fixture = try ConsoleFixture()
        try fixture.addPersonWithoutPassword("mara", .viewer)
        let browser = Browser(fixture)
        browser.statedPeople = ["mara"]
        _ = try browser.get("/")
        _ = try browser.get("/")
        #expect(try browser.post("/sign-out").value(of: "location") == "/console/sign-in")
        let page = try browser.get("/sign-in").text
        #expect(page.contains("Continue as \u{2068}mara\u{2069}") && !page.contains("name=\"password\""))
        #expect(browser.cookies[Self.cookie] == nil)
    }

    @Test func `an action that needs the password states what a person without one can do`() throws {
        let fixture = try ConsoleFixture()
        try fixture.addPersonWithoutPassword("root", .admin)
        try fixture.addPerson("anna", .admin)
        let browser = Browser(fixture)
        func post(_ fields: [String: String]) throws -> ConsoleAnswer {
            if try browser.get("/").status == 303 { _ = try browser.get("/") }
            return try browser.post("/people/new", fields)
        }
        browser.statedPeople = ["root"]
        let refused = try post(["name": "jonas", "role": "viewer"])
        #expect(refused.status == 403 && refused.text.contains("but you have none"))
        let guess = try post(["name": "jonas", "role": "viewer", "_password": ""])
        #expect(guess.status == 403)
        browser.statedPeople = ["anna"]
        #expect(try post(["name": "jonas", "role": "viewer"]).text.contains("name=\"_password\""))
        let right = ["name": "jonas", "role": "viewer", "_password": ConsoleFixture.password]
        #expect(try post(right).status != 403)
        #expect(try fixture.operations.carryOut(ListPeople()).map(\.name) == ["anna", "jonas", "root"])
    }
}
