import PushAPI
import PushConsole
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

/// A console with service `neotrips`, apps `ios` and `droid`, and a marketer who is signed in.
struct ComposerFixture {
    let fixture: ConsoleFixture
    let browser: Browser

    init(subscribers: Int = 3) throws {
        fixture = try ConsoleFixture()
        let operations = fixture.operations
        _ = try operations.carryOut(CreateService(name: "neotrips"))
        for (name, platform) in [("ios", Platform.ios), ("droid", .android)] {
            _ = try operations.carryOut(
                CreateApp(
                    name: name, service: "neotrips", platform: platform, integrationKey: "key of \(name)",
                    connector: "stub"))
        }
        let app = try #require(try operations.store.catalogue.app(named: "ios"))
        let records = (0..<subscribers).map { number in
            let digits = String(number, radix: 16)
            return SubscriberRecord(
                token: String(repeating: "0", count: 64 - digits.count) + digits, userKey: "user\(number)",
                parametersJSON: #"{"city":"Paris"}"#)
        }
        for start in stride(from: 0, to: subscribers, by: 1_000) {
            _ = try operations.store.subscriberImporter.upsert(
                Array(records[start..<min(start + 1_000, subscribers)]), into: app.id,
                at: ConsoleFixture.start)
        }
        browser = try fixture.browser(of: "mara", .marketer)
    }

    /// Creates a draft through the page and returns its id.
    func draft(_ label: String = "Spring sale") throws -> Int64 {
        _ = try browser.get("/deliveries/new")
        let answer = try browser.post("/deliveries/new", ["label": label, "service": "neotrips"])
        #expect(answer.status == 303)
        let location = try #require(answer.value(of: "location"))
        let id = try #require(location.firstMatch(of: /\/drafts\/(\d+)\/content/)).output.1
        return try #require(Int64(id))
    }

    static func json(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    func document(_ id: Int64) throws -> JSONValue {
        try fixture.operations.carryOut(ShowDraft(id)).document
    }

    func version(_ id: Int64) throws -> String {
        "\(try fixture.operations.carryOut(ShowDraft(id)).version)"
    }

    /// Submits the form of a step.
    @discardableResult
    func post(
        _ id: Int64, _ step: String, _ fields: [String: String], action: String = "next"
    ) throws -> ConsoleAnswer {
        var fields = fields
        if fields["_version"] == nil { fields["_version"] = try version(id) }
        fields["_action"] = action
        return try browser.post("/drafts/\(id)/\(step)", fields)
    }
}

@Suite struct ComposerTests {
    @Test func `a delivery is written in five steps and sent once`() throws {
        let fixture = try ComposerFixture()
        let browser = fixture.browser
        let id = try fixture.draft()
        #expect(try browser.get("/drafts/\(id)/content").text.contains("Continue to audience"))
        let content = try fixture.post(
            id, "content",
            [
                "label": "Spring sale", "content.title": "20% off", "content.body": "Until Sunday",
                "content.ios.badge": "3", "content.ios.sound": "default", "content.android.priority": "high",
                "content.ios.mutableContent": "on",
            ])
        #expect(content.value(of: "location") == "/console/drafts/\(id)/audience")
        let audience = try fixture.post(
            id, "audience",
            ["target": "where", "rule.field": "city", "rule.comparison": "=", "rule.value": "Paris"])
        #expect(audience.value(of: "location") == "/console/drafts/\(id)/timing")
        let timing = try fixture.post(
            id, "timing", ["start": "now", "schedule.validity": "12h", "schedule.ratePerSecond": "500"])
        #expect(timing.value(of: "location") == "/console/drafts/\(id)/proof")
        let expected = try ComposerFixture.json(
            #"""
            {"label": "Spring sale", "service": "neotrips",
             "target": {"where": {"and": [{"city": {"=": "Paris"}}]}},
             "content": {"title": "20% off", "body": "Until Sunday",
               "ios": {"sound": "default", "badge": 3, "mutableContent": true},
               "android": {"priority": "high"}},
             "schedule": {"validity": "12h", "ratePerSecond": 500}}
            """#)
        #expect(try fixture.document(id).canonical == expected.canonical)
        #expect(try browser.get("/drafts/\(id)/proof").text.contains("Send the proof"))
        let review = try browser.get("/drafts/\(id)/review?count=1").text
        #expect(review.contains("Send to 3 devices"), "\(review)")
        let key = try #require(
            review.matches(of: /name="_key" value="([0-9a-f]{32})"/).last?.output.1
        ).description
        let fields = ["_key": key, "_version": try fixture.version(id), "_counted": "3"]
        let sent = try browser.post("/drafts/\(id)/submit", fields)
        #expect(sent.status == 303)
        let location = try #require(sent.value(of: "location"))
        #expect(location.hasPrefix("/console/deliveries/"))
        // Going back and submitting again leads to the same delivery.
        #expect(try browser.post("/drafts/\(id)/submit", fields).value(of: "location") == location)
        #expect(try fixture.fixture.operations.carryOut(ListDeliveries()).items.count == 1)
        #expect(try browser.get("/drafts/\(id)/content").status == 404)
    }

    @Test func `the second of two people who save sees both versions, and loses nothing`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        let version = try fixture.version(id)
        let ben = try fixture.fixture.browser(of: "ben", .marketer)
        _ = try ben.get("/drafts/\(id)/content")
        let first = try ben.post(
            "/drafts/\(id)/content",
            ["_version": version, "_action": "next", "label": "Spring sale", "content.title": "Of Ben"])
        #expect(first.status == 303)
        let second = try fixture.post(
            id, "content", ["_version": version, "label": "Spring sale", "content.title": "Of Mara <b>"])
        #expect(second.status == 409)
        let page = second.text
        #expect(page.contains("changed by") && page.contains("ben"))
        #expect(page.contains("Of Ben") && page.contains("Of Mara &lt;b&gt;"))
        #expect(try fixture.document(id)["content"] == ["title": .string("Of Ben")])
        let again = try fixture.post(
            id, "content",
            ["_version": try fixture.version(id), "label": "Spring sale", "content.title": "Of Mara <b>"])
        #expect(again.status == 303)
        #expect(try fixture.document(id)["content"] == ["title": .string("Of Mara <b>")])
    }

    @Test func `a person who sends to more than 10 000 devices types their number`() throws {
        let fixture = try ComposerFixture(subscribers: 10_001)
        let browser = fixture.browser
        let id = try fixture.draft()
        try fixture.post(id, "content", ["label": "Big", "content.title": "Hello"])
        let page = try browser.get("/drafts/\(id)/review?count=1").text
        #expect(page.contains("Number of recipients") && page.contains("Send to 10,001 devices"))
        var fields = ["_version": try fixture.version(id), "_counted": "10001"]
        for wrong in [nil, "", "10000", "all"] {
            fields["number"] = wrong
            let answer = try browser.post("/drafts/\(id)/submit", fields)
            #expect(answer.status == 422 && answer.text.contains("Type the number 10,001."))
        }
        fields["number"] = "10,001"
        #expect(try browser.post("/drafts/\(id)/submit", fields).status == 303)
    }

    @Test func `invalid input is kept, and the page states what is wrong`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        try fixture.post(id, "content", ["label": "x", "content.title": "T", "content.ios.badge": "many"])
        let content = try fixture.browser.get("/drafts/\(id)/content").text
        #expect(content.contains("value=\"many\"") && content.contains("aria-invalid=\"true\""))
        let custom = try fixture.post(id, "content", ["content.title": "T", "content.custom": "{oops"])
        #expect(custom.status == 422 && custom.text.contains("{oops"))
        let rules = try fixture.post(
            id, "audience", ["target": "where", "rule.field": "", "rule.comparison": "=", "rule.value": "x"])
        #expect(rules.status == 422 && rules.text.contains("at least one condition"))
        let expert = try fixture.post(id, "audience", ["target": "expert", "expert": "[1, 2"])
        #expect(expert.status == 422 && expert.text.contains("[1, 2"))
        let sample = try fixture.post(id, "audience", ["target": "all", "sample": "150"])
        #expect(sample.status == 422 && sample.text.contains("value=\"150\""))
        let timing = try fixture.post(id, "timing", ["start": "at", "schedule.startAt": "soon"])
        #expect(timing.status == 422 && timing.text.contains("value=\"soon\""))
        let proof = try fixture.post(id, "proof", ["proof.keys": "nobody"])
        #expect(proof.status == 422 && proof.text.contains("nobody"))
    }

    @Test func `a start is a time on the clock of the reader's zone`() throws {
        let fixture = try ComposerFixture()
        fixture.browser.cookies["pushmta-zone"] = "America/New_York"
        let id = try fixture.draft()
        let fields = ["start": "at", "schedule.startAt": "2027-07-01T09:00", "_zone": "America/New_York"]
        try fixture.post(id, "timing", fields)
        #expect(try fixture.document(id)["schedule"] == ["startAt": .string("2027-07-01T13:00:00Z")])
        let page = try fixture.browser.get("/drafts/\(id)/timing").text
        #expect(page.contains("value=\"2027-07-01T09:00\""))
    }

    @Test func `languages are added, written and removed`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        try fixture.post(id, "content", ["label": "x", "content.title": "Sale"])
        let added = try fixture.post(id, "languages", ["tag": "German"])
        #expect(added.value(of: "location") == "/console/drafts/\(id)/content?language=de")
        let page = try fixture.browser.get("/drafts/\(id)/content?language=de").text
        #expect(page.contains("Title in German") && page.contains("Texts are missing"))
        try fixture.post(id, "content", ["language": "de", "content.languages.de.title": "Ausverkauf"])
        #expect(try fixture.document(id)["content"]?["languages"] == ["de": ["title": .string("Ausverkauf")]])
        #expect(try fixture.post(id, "languages", ["tag": "<script>"]).status == 422)
        try fixture.post(id, "content", ["language": "de"], action: "remove-language")
        #expect(try fixture.document(id)["content"] == ["title": .string("Sale")])
        // A person who still has the language's page open loses no text.
        let late = ["_version": "1", "language": "de", "content.languages.de.title": "Kept text"]
        let conflict = try fixture.post(id, "content", late)
        #expect(conflict.status == 409 && conflict.text.contains("Kept text"))
    }
}
