import PushAPI
import PushConsole
import PushModel
import Testing

/// Reads the markup of the pages of a filled instance.
@Suite struct MarkupTests {
    private static let pages = [
        "/", "/deliveries", "/deliveries/new", "/drafts", "/compare", "/templates", "/templates/new",
        "/subscribers", "/subscribers?app=shop-ios", "/subscribers/count?app=shop-ios",
        "/subscribers/person?key=user1", "/subscribers/opt-out?key=user1", "/subscribers/erase?key=user1",
        "/subscribers/explain?key=user1", "/imports?app=shop-ios", "/services", "/services/new",
        "/services/of/shop", "/services/of/shop/subscriptions", "/apps", "/apps/new", "/apps/of/shop-ios",
        "/apps/new/connection?name=news-ios&service=shop&platform=ios", "/apps/of/shop-ios/test",
        "/apps/of/shop-ios/connection", "/apps/of/shop-ios/integration", "/apps/unknown-keys", "/jobs",
        "/alarms", "/accounts", "/quarantine", "/quarantine/add", "/quarantine/release", "/hosts", "/store",
        "/store/purge", "/webhooks", "/webhooks/new", "/tokens", "/tokens/new", "/people", "/people/new",
        "/people/mara", "/people/mara/remove", "/account", "/audit", "/configuration",
    ]
    private static let pagesOfDelivery = [
        "", "/content", "/recipients", "/devices", "/devices?count=1", "/recall",
    ]

    @Test(arguments: ["en", "de"])
    func `the markup of pages has no faults`(language: String) throws {
        let fixture = try DeliveryFixture(.admin)
        let running = try fixture.submit()
        let ended = try fixture.submit("Autumn sale")
        try fixture.accept(ended)
        try fixture.click(ended)
        fixture.browser.language = language
        let deliveries = [running, ended].flatMap { id in
            Self.pagesOfDelivery.map { "/deliveries/\(id.rawValue)\($0)" }
        }
        let further = [
            "/deliveries/\(running.rawValue)/stop",
            "/compare?delivery=\(running.rawValue)&delivery=\(ended.rawValue)",
        ]
        for path in Self.pages + deliveries + further {
            let answer = try fixture.browser.get(path)
            #expect(answer.status == 200, "\(path)")
            let faults = PageMarkup.faults(of: answer.text)
            #expect(faults.isEmpty, "\(path): \(faults)")
            for button in answer.text.matches(of: /<button[^>]*>((?:(?!<\/button>).)*)<\/button>/) {
                let name = button.output.1.replacing(/<[^>]*>/, with: "")
                #expect(name.contains { $0.isLetter || $0.isNumber }, "\(path): \(button.output.0)")
            }
        }
    }

    @Test func `the markup of the composer's steps has no faults`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        for step in ["content", "audience", "timing", "proof", "review", "languages", "remove"] {
            let answer = try fixture.browser.get("/drafts/\(id)/\(step)")
            #expect(answer.status == 200, "\(step)")
            let faults = PageMarkup.faults(of: answer.text)
            #expect(faults.isEmpty, "\(step): \(faults)")
        }
    }

    @Test func `the markup of pages without a session has no faults`() throws {
        let browser = Browser(try ConsoleFixture())
        for path in ["/sign-in", "/welcome", "/nowhere"] {
            let text = try browser.get(path).text
            guard !text.isEmpty else { continue }
            let faults = PageMarkup.faults(of: text)
            #expect(faults.isEmpty, "\(path): \(faults)")
        }
    }

    @Test func `faults of markup are found`() {
        let page = """
            <main><h1>A</h1><h3 id="a">B</h3><p id="a"><div>C</div></p><input name="q"><label for="b">D</label>
            <th>E</th></div>
            """
        let faults = PageMarkup.faults(of: page)
        #expect(
            faults == [
                "id a is not unique", "<div> is in <p>", "<th> has no scope", "</div> ends <main>",
                "<main> has no end", "no element has the id b", "<input name=\"q\"> has no label",
                "h3 follows h1",
            ])
    }

    @Test func `a page about an object names it in its title, and a note needs no heading`() throws {
        let fixture = try DeliveryFixture(.admin)
        let id = try fixture.submit("Spring sale")
        let page = try fixture.browser.get("/deliveries/\(id.rawValue)/recipients").text
        #expect(page.contains("<title>Recipients: Spring sale – PushMTA</title>"))
        let card = HTML.card(note: "The first 50", table: "<table></table>").text
        #expect(card.contains("<p>The first 50</p>") && !card.contains("<h2"))
    }
}
