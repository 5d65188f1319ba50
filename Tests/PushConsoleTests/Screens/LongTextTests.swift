import PushAPI
import PushConsole
import PushModel
import PushStore
import PushWire
import Testing

/// Texts of a length that people do not expect: 10 000 characters in each field of a search, and the longest
/// names and contents that the product stores.
@Suite struct LongTextTests {
    private static let markup = "<img src=x onerror=alert(1)>\u{202E}"
    private static let long = markup + String(repeating: "n", count: 10_000)

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    @Test func `each list can be searched for 10 000 characters`() throws {
        let fixture = try OperatorFixture()
        fixture.engine.run(OperatorFixture.status(named: Self.long))
        let text = Self.encoded(Self.long)
        let pages = [
            "/deliveries", "/compare", "/subscribers", "/subscribers/person", "/subscribers/opt-out",
            "/subscribers/erase", "/subscribers/explain", "/accounts", "/accounts/live", "/alarms",
            "/quarantine", "/quarantine/add", "/quarantine/release", "/hosts", "/apps", "/services",
            "/templates", "/people", "/audit", "/configuration", "/imports", "/drafts", "/deliveries/new",
            "/apps/new", "/apps/new/connection", "/templates/new", "/jobs", "/webhooks", "/",
        ]
        for page in pages {
            for name in ["q", "key", "app", "service", "where", "reason", "state", "cursor", "label", "name"]
            {
                let answer = try fixture.get("\(page)?\(name)=\(text)")
                #expect(answer.status < 500, "\(page) \(name): \(answer.status)")
                #expect(!answer.text.contains("<img src=x"), "\(page) \(name)")
            }
        }
    }

    @Test func `each form keeps 10 000 characters, or refuses them at their field`() throws {
        let fixture = try OperatorFixture()
        let forms: [(String, [String])] = [
            ("/services/new", ["name", "label", "description", "frequencyCap"]),
            ("/apps/of/shop-ios/label", ["label"]), ("/apps/of/shop-ios/keys", ["added"]),
            ("/apps/of/shop-ios/items/parameters", ["parameters-name"]),
            ("/apps/of/shop-ios/items/variables", ["variables-name", "variables-default"]),
            ("/apps/of/shop-ios/items/sounds", ["sounds-name", "sounds-label"]),
            ("/templates/new", ["name", "title", "body", "document"]), ("/tokens/new", ["name"]),
            ("/people/new", ["name"]), ("/webhooks/new", ["name", "url", "authorities"]),
            ("/quarantine/add", ["token", "reason"]), ("/quarantine/release", ["value"]),
            ("/subscribers/opt-out", ["key", "reason"]),
            ("/deliveries/new", ["label", "service", "template"]),
        ]
        for (address, names) in forms {
            for name in names {
                let others: [(String, String)] = [
                    ("name", "fine"), ("service", "shop"), ("key", "user1"), ("app", "shop-ios"),
                    ("token", OperatorFixture.token(1)), ("scopes", "read"), ("role", "viewer"),
                    ("events", "failed"), ("url", "https://crm.example"),
                ]
                let fields = [(name, Self.long)] + others.filter { $0.0 != name }
                let answer = try fixture.post(address, fields)
                #expect(answer.status < 500, "\(address) \(name): \(answer.status)")
                #expect(!answer.text.contains("<img src=x"), "\(address) \(name)")
                let place = answer.value(of: "location") ?? ""
                #expect(place.utf8.count < 4_000, "\(address) \(name)")
            }
        }
    }

    @Test func `the longest names and contents of a delivery are shown on each page`() throws {
        let fixture = try DeliveryFixture(.admin, subscribers: 0)
        let key = Self.markup + String(repeating: "k", count: 200)
        let app = try #require(try fixture.store.catalogue.app(named: "shop-ios"))
        let value = Self.markup + String(repeating: "v", count: 4_000)
        let parameters: JSONValue = ["city": .string(value)]
        let record = SubscriberRecord(
            token: DeliveryFixture.token(1), userKey: key, parametersJSON: parameters.text)
        _ = try fixture.store.subscriberImporter.upsert([record], into: app.id, at: ConsoleFixture.start)
        let title = "<img src=x> " + String(repeating: "ü", count: 1_500)
        let label = "<img src=x> " + String(repeating: "l", count: 230)
        let id = try fixture.submit(label, title: title)
        try fixture.accept(id)
        try fixture.click(id)
        let person = Self.encoded(key)
        for page in [
            "/", "/deliveries", "/deliveries/\(id)", "/deliveries/\(id)/live", "/deliveries/\(id)/recipients",
            "/deliveries/\(id)/recipients?q=\(person)", "/deliveries/\(id)/content",
            "/deliveries/\(id)/devices", "/deliveries/\(id)/recall", "/deliveries/new?copy=\(id)",
            "/compare?delivery=\(id)", "/subscribers?app=shop-ios", "/subscribers?q=\(person)",
            "/subscribers/person?key=\(person)", "/subscribers/opt-out?key=\(person)",
        ] {
            let answer = try fixture.browser.get(page)
            #expect(answer.status == 200 && !answer.text.contains("<img src=x"), "\(page.prefix(60))")
            #expect(answer.body.count < 1 << 20, "\(page.prefix(60))")
        }
        let copy = try fixture.browser.post("/deliveries/new", ["copy": "\(id)"])
        #expect(copy.status == 303)
    }
}
