import PushAPI
import PushConsole
import PushModel
import Testing

@Suite struct SignInTests {
    @Test func `a person signs in, sees the first page, and signs out`() throws {
        let fixture = try ConsoleFixture()
        try fixture.addPerson("mara", .marketer)
        let browser = Browser(fixture)
        let refused = try browser.get("/")
        #expect(refused.status == 303 && refused.value(of: "location") == "/console/sign-in")
        #expect(try browser.get("/sign-in").text.contains("<h1>Sign in</h1>"))
        let answer = try browser.signIn("mara")
        #expect(answer.value(of: "location") == "/console/")
        let cookie = try #require(answer.value(of: "set-cookie"))
        #expect(
            cookie.hasPrefix("__Host-pushmta=")
                && cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
        let home = try browser.get("/")
        #expect(home.status == 200 && home.text.contains("<bdi>mara</bdi>") && home.text.contains("Marketer"))
        #expect(try browser.post("/sign-out").value(of: "location") == "/console/sign-in")
        #expect(browser.cookies["__Host-pushmta"] == nil)
        browser.cookies["__Host-pushmta"] = String(cookie.dropFirst(15).prefix { $0 != ";" })
        #expect(try browser.get("/").status == 303)
    }

    @Test func `a new session has a new identifier, whatever cookie the browser sent`() throws {
        let fixture = try ConsoleFixture()
        try fixture.addPerson("mara", .viewer)
        let browser = Browser(fixture)
        let planted = String(repeating: "a", count: 43)
        browser.cookies["__Host-pushmta"] = planted
        _ = try browser.signIn("mara")
        let first = try #require(browser.cookies["__Host-pushmta"])
        _ = try browser.signIn("mara")
        let second = try #require(browser.cookies["__Host-pushmta"])
        #expect(Set([planted, first, second]).count == 3)
        browser.cookies["__Host-pushmta"] = planted
        #expect(try browser.get("/").status == 303)
        // The session that the browser had before has ended.
        browser.cookies["__Host-pushmta"] = first
        #expect(try browser.get("/").status == 303)
    }

    @Test func `the answer to a wrong password does not reveal whether the name exists`() throws {
        let fixture = try ConsoleFixture()
        try fixture.addPerson("mara", .viewer)
        let pages = try ["mara", "nobody"].map { name in
            let answer = try Browser(fixture).signIn(name, "a wrong password")
            #expect(answer.status == 422 && answer.value(of: "set-cookie") == nil)
            return answer.text.replacing(name, with: "NAME")
        }
        #expect(pages[0] == pages[1] && pages[0].contains("Name and password do not match"))
    }

    @Test func `after several wrong passwords the person must wait`() throws {
        let fixture = try ConsoleFixture()
        let browser = Browser(fixture)
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(try browser.signIn("nobody", "a wrong password").status) }
        #expect(statuses.first == 422 && statuses.last == 429)
        let answer = try browser.signIn("nobody", "a wrong password")
        #expect(answer.value(of: "retry-after") != nil && answer.text.contains("Try again in"))
    }

    @Test func `over HTTP, only browsers on the machine itself are answered, with a cookie of another name`()
        throws
    {
        let fixture = try ConsoleFixture()
        try fixture.addPerson("mara", .viewer)
        let browser = Browser(fixture)
        browser.isSecure = false
        let refused = try browser.get("/sign-in")
        #expect(refused.status == 403 && refused.text.contains("Use HTTPS"))
        #expect(try browser.signIn("mara").status == 403)
        browser.isLocal = true
        let answer = try browser.signIn("mara")
        let cookie = try #require(answer.value(of: "set-cookie"))
        #expect(cookie.hasPrefix("pushmta-local=") && !cookie.contains("Secure"))
        #expect(try browser.get("/").status == 200)
        // The cookie of HTTP is worth nothing over HTTPS, and the other way round.
        browser.isSecure = true
        #expect(try browser.get("/").status == 303)
        browser.cookies["__Host-pushmta"] = browser.cookies.removeValue(forKey: "pushmta-local")
        browser.isSecure = false
        #expect(try browser.get("/").status == 303)
    }

    @Test(arguments: [
        "https://evil.example/", "//evil.example/", "/\\evil.example", "/../../evil", "/%2e%2E/api",
    ])
    func `signing in does not lead out of the console`(next: String) throws {
        let fixture = try ConsoleFixture()
        try fixture.addPerson("mara", .viewer)
        let browser = Browser(fixture)
        let fields = ["name": "mara", "password": ConsoleFixture.password, "next": next]
        #expect(try browser.post("/sign-in", fields).value(of: "location") == "/console/")
    }

    @Test func `a person sets the password with a link, which works once`() throws {
        let fixture = try ConsoleFixture()
        var create = CreatePerson()
        (create.name, create.fields) = ("jonas", RoleFields(role: .operator))
        let link = try fixture.operations.carryOut(create)
        let path = try #require(link.link.split(separator: "/console", maxSplits: 1).last).description
        let key = try #require(path.split(separator: "=").last).description
        let browser = Browser(fixture)
        #expect(try browser.get(path).text.contains("Set the password"))
        var fields = ["key": key, "password": "short", "again": "short"]
        #expect(try browser.post("/welcome", fields).status == 422)
        fields["again"] = "different"
        #expect(try browser.post("/welcome", fields).text.contains("The two passwords differ"))
        (fields["password"], fields["again"]) = (ConsoleFixture.password, ConsoleFixture.password)
        #expect(try browser.post("/welcome", fields).value(of: "location") == "/console/")
        #expect(try browser.get("/").text.contains("<bdi>jonas</bdi>"))
        let used = try browser.get(path)
        #expect(used.status == 404 && used.text.contains("Go to the console"))
        #expect(try browser.post("/welcome", fields).status == 404)
        let other = try Browser(fixture).get(path)
        #expect(other.status == 404 && other.text.contains("href=\"/console/sign-in\""))
    }

    @Test func `a form that is submitted after the end of the session is kept`() throws {
        let fixture = try ConsoleFixture([KeepingScreens.self])
        let browser = try fixture.browser(of: "mara", .viewer)
        var form = ["text": "a long <draft>\nof two lines", "_key": String(repeating: "a", count: 32)]
        form["_owner"] = "mara"
        browser.cookies = [:]
        let page = try browser.post("/keep", form)
        #expect(page.status == 401 && page.text.contains("Your input is kept"))
        // A kept form can be larger than a form without files may be.
        #expect(page.text.contains("enctype=\"multipart/form-data\""))
        #expect(page.text.contains("name=\"_kept.text\" value=\"a long &lt;draft&gt;\nof two lines\""))
        var fields = [
            "name": "mara", "password": ConsoleFixture.password, "_action": "/keep",
            "_kept.text": "a long <draft>\nof two lines", "_kept._key": form["_key"] ?? "",
        ]
        fields["_owner"] = "mara"
        let kept = try browser.post("/sign-in", fields)
        #expect(kept.status == 200 && kept.text.contains("action=\"/console/keep\""))
        #expect(kept.text.contains("name=\"text\" value=\"a long &lt;draft&gt;\nof two lines\""))
        #expect(kept.text.contains("name=\"_key\" value=\"\(form["_key"] ?? "")\""))
        #expect(try browser.post("/keep", form).text == "a long <draft>\nof two lines")
    }

    @Test func `a form of a former session is kept if the person signed in again in another window`() throws {
        let fixture = try ConsoleFixture([KeepingScreens.self])
        let browser = try fixture.browser(of: "mara", .viewer)
        let former = browser.csrf
        #expect(try browser.signIn("mara").status == 303)
        let form = ["text": "typed <b>", "_owner": "mara", "_key": String(repeating: "a", count: 32)]
        let kept = try browser.post("/keep", form, csrf: former)
        #expect(kept.status == 403 && kept.text.contains("name=\"text\" value=\"typed &lt;b&gt;\""))
        #expect(kept.text.contains("action=\"/console/keep\"") && kept.text.contains(browser.csrf))
        #expect(try browser.post("/keep", form).text == "typed <b>")
        // A form of another person, or of another site, is refused.
        for owner in ["", "root"] {
            let refused = try browser.post(
                "/keep", form.merging(["_owner": owner]) { $1 }, csrf: former)
            #expect(refused.status == 403 && !refused.text.contains("typed"))
        }
        let foreign = try browser.post("/keep", form, csrf: former) { ($0.fetchSite, $0.origin) = (nil, nil) }
        #expect(foreign.status == 403 && !foreign.text.contains("typed"))
    }

    @Test func `a kept form is not shown to another person, and not kept if it is not from the console`()
        throws
    {
        let fixture = try ConsoleFixture([KeepingScreens.self])
        try fixture.addPerson("root", .admin)
        let browser = try fixture.browser(of: "mara", .viewer)
        browser.cookies = [:]
        var form = ["text": "of mara", "_owner": "mara"]
        (form["password"], form["_password"]) = ("of a certificate", "of mara")
        let page = try browser.post("/keep", form)
        #expect(!page.text.contains("_kept.password") && !page.text.contains("_kept._password"))
        #expect(page.text.contains("name=\"_owner\" value=\"mara\""))
        var fields = ["_action": "/keep", "_kept.text": "of mara", "_owner": "mara"]
        (fields["name"], fields["password"]) = ("root", ConsoleFixture.password)
        let other = try browser.post("/sign-in", fields)
        #expect(other.status == 303 && other.value(of: "location") == "/console/")
        browser.cookies = [:]
        let unknown = try browser.post("/keep", form) { ($0.fetchSite, $0.origin) = (nil, nil) }
        #expect(unknown.status == 303 && !unknown.text.contains("of mara"))
    }

    @Test func `a person who sets a password ends the browser's former session`() throws {
        let fixture = try ConsoleFixture()
        let browser = try fixture.browser(of: "mara", .viewer)
        let former = try #require(browser.cookies["__Host-pushmta"])
        var create = CreatePerson()
        (create.name, create.fields) = ("jonas", RoleFields(role: .viewer))
        let link = try fixture.operations.carryOut(create).link
        var fields = ["key": try #require(link.split(separator: "=").last).description]
        (fields["password"], fields["again"]) = (ConsoleFixture.password, ConsoleFixture.password)
        #expect(try browser.post("/welcome", fields).status == 303)
        #expect(try fixture.operations.carryOut(CheckSession(token: former)) == nil)
    }

    @Test func `a page that requests its content again and again does not prolong its session`() throws {
        let fixture = try ConsoleFixture()
        let browser = try fixture.browser(of: "mara", .viewer)
        var request = try browser.request(.get, "/home/live")
        request.isFragment = true
        var statuses: [Int] = []
        for _ in 0..<9 {
            statuses.append(browser.send(request).status)
            fixture.advance(minutes: 60)
        }
        #expect(statuses.first == 200 && browser.send(request).status == 401)
        #expect(try browser.signIn("mara").status == 303)
        for _ in 0..<9 {
            #expect(try browser.get("/").status == 200)
            fixture.advance(minutes: 60)
        }
    }

    @Test func `a part of a page that is requested after the end of the session is answered with 401`() throws
    {
        let fixture = try ConsoleFixture()
        let browser = Browser(fixture)
        var request = try browser.request(.get, "/home/live")
        request.isFragment = true
        #expect(browser.send(request).status == 401)
    }
}

private enum KeepingScreens: ScreenGroup {
    static let routes = [
        ConsoleRoute(.post, "/keep", needs: .read) { visit in
            .file(Array((visit.form.exact("text") ?? "").utf8), type: "text/plain", name: "draft.txt")
        }
    ]
}
