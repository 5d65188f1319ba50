import PushAPI
import PushConsole
import PushModel
import Testing

@Suite struct PageTests {
    private static let hostile = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>\u{202E}gnp"

    @Test func `no page contains a script or a style, whatever names contain`() throws {
        let fixture = try ConsoleFixture([EchoScreens.self])
        let browser = try fixture.browser(of: "root", .admin)
        let paths = Screens.routes.filter { $0.method == .get }.map {
            $0.pattern.replacing(/\{[^}]+\}/, with: "1")
        }
        for path in paths + ["/echo", "/sign-in", "/nothing"] {
            let text = try browser.get(path).text
            #expect(!text.contains("<script>") && !text.contains("onerror=alert(1)>"), "\(path)")
            // Values are in quotation marks, and those of inserted texts are escaped.
            let tags = text.replacing(/"[^"]*"/, with: "")
            #expect(tags.firstMatch(of: /<[^>]* (style|on[a-z]+)=/) == nil, "\(path)")
            let scripts = text.matches(of: /<script[^>]*>/).map { String($0.output) }
            #expect(scripts.allSatisfy { $0.hasPrefix("<script type=\"module\" src=\"/console/assets/") })
        }
        #expect(try browser.get("/echo").text.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
    }

    @Test func `the style sheet and the script are small`() throws {
        let browser = Browser(try ConsoleFixture())
        let page = try browser.get("/sign-in").text
        let addresses = page.matches(of: /"\/console(\/assets\/[^"]+)"/).map { String($0.output.1) }
        let sizes = try addresses.map { address in
            let answer = try browser.get(address)
            #expect(answer.status == 200)
            return (address.hasSuffix(".css"), answer.body.count)
        }
        #expect(sizes.count == 2)
        for (isStyle, size) in sizes { #expect(size <= (isStyle ? 40_000 : 50_000)) }
    }

    @Test func `the language is that of the browser until the person chooses another one`() throws {
        let fixture = try ConsoleFixture()
        let browser = try fixture.browser(of: "mara", .viewer)
        #expect(try browser.get("/").text.contains("<html lang=\"en\">"))
        browser.language = "fr-CH, de;q=0.8, en;q=0.5"
        #expect(try browser.get("/").text.contains("Abmelden"))
        let answer = try browser.post("/language", ["language": "en", "next": "/nothing?a=b"])
        #expect(answer.value(of: "location") == "/console/nothing?a=b")
        #expect(try browser.get("/").text.contains("Sign out"))
        _ = try browser.post("/language", ["language": "xx"])
        #expect(try browser.get("/").text.contains("Sign out"))
    }

    @Test func `a notice is shown once, and only if a screen declares it`() throws {
        let fixture = try ConsoleFixture([EchoScreens.self])
        let browser = try fixture.browser(of: "mara", .viewer)
        #expect(try browser.post("/echo").status == 303)
        let page = try browser.get("/").text
        // The script removes the notice when a state on the page changes.
        #expect(page.contains("data-passing>It was done.<"))
        #expect(try !browser.get("/").text.contains("It was done."))
        browser.cookies["pushmta-notice"] = Self.hostile
        #expect(try browser.get("/").status == 200)
    }

    @Test func `a form that is submitted twice has the same key both times`() throws {
        let fixture = try ConsoleFixture([EchoScreens.self])
        let browser = try fixture.browser(of: "mara", .viewer)
        let page = try browser.get("/echo").text
        let key = try #require(page.firstMatch(of: /name="_key" value="([0-9a-f]{32})"/)).output.1
        let refused = try browser.post("/echo/refuse", ["_key": String(key)])
        #expect(refused.status == 422 && refused.text.contains("value=\"\(key)\""))
        #expect(try browser.get("/echo").text.contains("value=\"\(key)\"") == false)
    }

    @Test func `a literal path precedes a path with a name`() throws {
        let browser = try ConsoleFixture([EchoScreens.self]).browser(of: "mara", .viewer)
        #expect(try browser.get("/echo/literal").text.contains("the literal"))
        #expect(try browser.get("/echo/a%2Fb").text.contains("the name a/b"))
    }

    private enum EchoScreens: ScreenGroup {
        static let notices = [Notice("echo.done", Phrase("It was done.", "Es ist geschehen."))]
        static let routes = [
            ConsoleRoute(.get, "/echo", needs: .read) { visit in .page(page(visit)) },
            ConsoleRoute(.post, "/echo", needs: .read) { _ in .redirect("/", notice: notices[0]) },
            ConsoleRoute(.post, "/echo/refuse", needs: .read) { visit in .refused(422, page(visit)) },
            ConsoleRoute(.get, "/echo/{name}", needs: .read) { visit in
                .fragment("the name \(visit.name("name"))")
            },
            ConsoleRoute(.get, "/echo/literal", needs: .read) { _ in .fragment("the literal") },
        ]

        private static func page(_ visit: Visit) -> PushConsole.Page {
            let hostile = PageTests.hostile
            let phrase = Phrase(same: hostile)
            let fields = Fields(FormErrors("name", phrase))
            let form = visit.form(action: "/echo/\(hostile)", id: hostile) {
                """
                \(fields.text(phrase, "name", value: hostile, hint: phrase))
                \(fields.area(phrase, hostile, value: hostile))
                \(fields.select(phrase, "s", [.init(hostile, phrase)], value: hostile))
                \(fields.choices(phrase, "c", [.init(hostile, phrase)], value: hostile))
                \(fields.check(phrase, hostile, isOn: true))
                """
            }
            let body: HTML = """
                \(HTML.pageHead(phrase))\(HTML.note(phrase))\(HTML.badge(.good, phrase))
                \(HTML.table([.init(phrase)], [["\(name: hostile)"]]))\(form)
                \(HTML.search("/echo", label: phrase, value: hostile))
                \(visit.button(phrase, action: "/echo", subject: hostile))
                """
            return PushConsole.Page(title: hostile, current: nil, body: body)
        }
    }
}
